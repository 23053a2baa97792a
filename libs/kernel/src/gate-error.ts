import { ERROR_CODES, type ErrorCode, type WireError } from '@countersign/contracts';

/**
 * A refusal with a literal code. `message` says what is wrong and what to do, and is shown to callers:
 * no secret, no stack, no other tenant's fact.
 */
export class GateError<Code extends ErrorCode = ErrorCode> extends Error {
  constructor(
    readonly code: Code,
    message: string = ERROR_CODES[code].title,
    readonly details?: unknown,
  ) {
    super(message);
    this.name = 'GateError';
  }

  toWire(): WireError {
    return { code: this.code, message: this.message, ...(this.details === undefined ? {} : { details: this.details }) };
  }

  static fromWire(wire: WireError): GateError {
    return new GateError(wire.code, wire.message, wire.details);
  }
}

export const isGateError = (error: unknown, ...codes: ErrorCode[]): error is GateError =>
  error instanceof GateError && (codes.length === 0 || codes.includes(error.code));
