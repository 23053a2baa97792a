import { validateSync, type ValidationError } from 'class-validator';
import type { PipeTransform } from '@nestjs/common';
import { instanceFrom } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';

const SHOWN_PROBLEMS = 20;

/** `@Body(new BodyOf(OpenSessionRequest))`: the body as an instance of its class, whole and with nothing besides. */
export class BodyOf<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly type: new () => T, private readonly options: { readonly optional?: true } = {}) {}

  /** @throws GateError INVALID_REQUEST with the fields that do not fit */
  transform(plain: unknown): T {
    const given = plain === undefined && this.options.optional ? {} : plain;
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new GateError('INVALID_REQUEST', 'The body must be a JSON object');
    const instance = instanceFrom(this.type, given);
    const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true, stopAtFirstError: true, validationError: { target: false, value: false } });
    const problems = errors.flatMap((error) => problemsOf(error, ''));
    if (problems.length > 0) throw new GateError('INVALID_REQUEST', 'The body does not have the documented shape', { fields: problems.slice(0, SHOWN_PROBLEMS) });
    return instance;
  }
}

interface FieldProblem { readonly path: string; readonly message: string }

function problemsOf(error: ValidationError, parent: string): FieldProblem[] {
  const path = `${parent}/${error.property}`;
  const own = Object.values(error.constraints ?? {}).slice(0, 1).map((message) => ({ path, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, path))];
}
