import type { PipeTransform } from '@nestjs/common';
import { problemsOf } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';

/** `@Body(new BodyOf(OpenSessionRequest))`: the body as it was parsed, once it has the shape of its class, whole and with nothing besides. */
export class BodyOf<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly type: new () => T, private readonly options: { readonly optional?: true } = {}) {}

  /** @throws GateError INVALID_REQUEST with the first fields that do not fit, or the code that a field has for it */
  transform(plain: unknown): T {
    const given = plain === undefined && this.options.optional ? {} : plain;
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new GateError('INVALID_REQUEST', 'The body must be a JSON object');
    const problems = problemsOf(this.type, given);
    for (const { code } of problems) if (code) throw new GateError(code);
    if (problems.length > 0) throw new GateError('INVALID_REQUEST', 'The body does not have the documented shape', { fields: problems });
    return given as T;
  }
}
