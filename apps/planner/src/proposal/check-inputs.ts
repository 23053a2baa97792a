import { LIMITS, type JsonObject, type TenantId } from '@countersign/contracts';
import { unseal, type BlobStore } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import type { SchemaChecks } from '@countersign/providers';
import type { ResolvedCall } from './resolve-calls.js';

/** How many failing items are described; the rest are counted. */
const MOST_PROBLEMS = 50;

export interface InputProblem {
  readonly callId: string;
  /** JSON pointer into the input. */
  readonly pointer: string;
  readonly problem: string;
}

export interface CheckContext {
  readonly checks: SchemaChecks;
  readonly blobs: BlobStore;
  readonly tenant: TenantId;
}

/**
 * Every input against its operation's schema as it is snapshotted: nothing is coerced or filled in.
 * @throws GateError INPUT_INVALID with all failing calls in `details.problems`; INVALID_REQUEST for a body that is not what its digest says
 */
export async function checkInputs(calls: readonly ResolvedCall[], context: CheckContext): Promise<void> {
  const inputs = await Promise.all(calls.map(({ call }) => inputOf(call, context)));
  const problems = calls.flatMap(({ call, operation }, index): InputProblem[] => {
    const check = context.checks.of(operation.snapshot.inputSchema.digest, operation.inputSchema);
    const found = check(inputs[index]!, call.input.bytes);
    return found ? [{ callId: call.callId, ...found }] : [];
  });
  if (problems.length === 0) return;
  const [first] = problems as [InputProblem];
  throw new GateError('INPUT_INVALID', `The input of call ${first.callId} does not fit at ${first.pointer || 'its top'}: ${first.problem}`, {
    problems: problems.slice(0, MOST_PROBLEMS), count: problems.length,
  });
}

/** What the log will hold is what is checked: an inline body must have the digest it names (a blob's is checked on read). */
async function inputOf({ callId, input }: ResolvedCall['call'], { blobs, tenant }: CheckContext): Promise<JsonObject> {
  if (input.bytes > LIMITS.blobBytes) throw new GateError('BODY_TOO_LARGE', `The input of call ${callId} has ${input.bytes} bytes; the limit is ${LIMITS.blobBytes}`);
  const body: unknown = await unseal(input, { blobs, tenant });
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GateError('INPUT_INVALID', `The input of call ${callId} is not an object`, { problems: [{ callId, pointer: '', problem: 'must be object' }], count: 1 });
  }
  if (input.value !== undefined && digestOf(body) !== input.digest) {
    throw new GateError('INVALID_REQUEST', `The input of call ${callId} is not what its digest says`);
  }
  return body as JsonObject;
}
