import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { GateError } from '@countersign/kernel';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Addresses of a host's name. @throws whatever the name service says */
export type Resolve = (host: string, timeoutMs: number, signal: AbortSignal) => Promise<readonly Address[]>;

const LOCALHOST = /(^|\.)localhost$/;

/**
 * The addresses of a URL's host: itself where it is one, this machine for `localhost`, else what the name service says.
 * @throws GateError UNAVAILABLE when it has no address
 */
export async function addressesOf(hostname: string, resolve: Resolve, timeoutMs: number, signal: AbortSignal): Promise<readonly Address[]> {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family: family as 4 | 6 }];
  if (LOCALHOST.test(host)) return [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
  const found = await resolve(host, timeoutMs, signal).catch(() => []);
  if (found.length === 0) throw new GateError('UNAVAILABLE', `${host} has no address`);
  return found;
}

/**
 * Asks the name servers themselves. The system's own look-up would keep one of few threads for as long as it lasts, and
 * then one tenant's dead name server holds up all others.
 */
export const resolveByDns: Resolve = async (host, timeoutMs, signal) => {
  const resolver = new Resolver({ timeout: Math.max(100, Math.floor(timeoutMs / 3)), tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return [...listed(four, 4), ...listed(six, 6)];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

const listed = (asked: PromiseSettledResult<string[]>, family: 4 | 6): Address[] =>
  (asked.status === 'fulfilled' ? asked.value.map((address) => ({ address, family })) : []);
