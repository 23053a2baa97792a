import type { Json, OperationSnapshot } from '@countersign/contracts';
import { unseal } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import { failure } from '@countersign/providers';
import type { Ended, ExecutorParts } from './work.js';

export type Judged = Pick<Ended, 'outcome' | 'result' | 'error'>;

/**
 * A result that does not fit the output schema of the plan's snapshot is an `unknown` error and is not given to the
 * model (`SEMANTICS` § 4). The message says that the call was answered, because its effect may have taken place.
 */
export async function judgeResult(operation: OperationSnapshot, result: Json, parts: ExecutorParts, tenant: string): Promise<Judged> {
  const problem = await mismatch(operation, result, parts, tenant);
  if (problem === undefined) return { outcome: 'applied', result };
  const message = `The provider answered, but its result does not fit the operation’s output schema (${problem}); the call may have taken effect`;
  return { outcome: 'failed', error: failure('unknown', message) };
}

/** Found out afterwards, it is applied whatever the words are in which the adapter says so; words that do not fit are left out. */
export async function judgeReconciled(operation: OperationSnapshot, result: Json, parts: ExecutorParts, tenant: string): Promise<Judged> {
  return (await mismatch(operation, result, parts, tenant)) === undefined ? { outcome: 'applied', result } : { outcome: 'applied' };
}

async function mismatch(operation: OperationSnapshot, result: Json, { schemas, blobs }: ExecutorParts, tenant: string): Promise<string | undefined> {
  if (!operation.outputSchema) return undefined;
  try {
    const check = schemas.of(operation.outputSchema.digest, await unseal(operation.outputSchema, { blobs, tenant }));
    const found = check(result, Buffer.byteLength(JSON.stringify(result)));
    return found && `${found.pointer || 'its top'}: ${found.problem}`;
  } catch (error) {
    if (isGateError(error)) return 'the schema could not be read';
    throw error;
  }
}
