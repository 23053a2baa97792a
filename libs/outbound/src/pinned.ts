import type { LookupFunction } from 'node:net';
import type { Address } from './resolve.js';

/** A look-up that knows nothing but what was checked. */
export function pinnedTo(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const wanted = addresses.filter(({ family }) => !options.family || options.family === family || options.family === `IPv${family}`);
    const [first] = wanted;
    if (!first) callback(Object.assign(new Error('no address of that family'), { code: 'ENOTFOUND' }), '', 0);
    else if (options.all) callback(null, [...wanted]);
    else callback(null, first.address, first.family);
  };
}
