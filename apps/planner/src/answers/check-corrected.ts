import { LIMITS, type JsonObject, type Sealed, type TenantId } from '@countersign/contracts';
import type { ItemState } from '@countersign/domain-plan';
import { seal, unseal, type BlobStore } from '@countersign/event-log';
import { GateError, isGateError } from '@countersign/kernel';
import type { SchemaChecks } from '@countersign/providers';

/**
 * A corrected input against the schema as it stands in the plan, never as it is registered now: nothing is coerced or filled in.
 * @returns the input as the event keeps it, its blob durable
 * @throws GateError CORRECTED_INPUT_INVALID with places in `details.problems`; BODY_TOO_LARGE; INVALID_REQUEST for a body that is not what its
 *   digest says; BLOB_MISSING, UNAVAILABLE
 */
export async function checkCorrected(
  item: ItemState, input: Sealed<JsonObject>, { checks, blobs, tenant }: { readonly checks: SchemaChecks; readonly blobs: BlobStore; readonly tenant: TenantId },
): Promise<Sealed<JsonObject>> {
  if (input.bytes > LIMITS.blobBytes) throw new GateError('BODY_TOO_LARGE', `The corrected input has ${input.bytes} bytes; the limit is ${LIMITS.blobBytes}`);
  const { inputSchema } = item.operation;
  const [body, schema] = await Promise.all([unseal<unknown>(input, { blobs, tenant }), unseal(inputSchema, { blobs, tenant })]);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid(item, { pointer: '', problem: 'must be object' });
  // what came inline is sealed anew, so that what is kept is what its digest says, and a large one lies beside the log
  const sealed = input.value === undefined ? input : await seal(body as JsonObject, { blobs, tenant });
  if (sealed.digest !== input.digest) throw new GateError('INVALID_REQUEST', 'The corrected input is not what its digest says');
  const found = checkOf(checks, inputSchema.digest, schema, item)(body as JsonObject, sealed.bytes);
  if (found) throw invalid(item, found);
  return sealed;
}

function checkOf(checks: SchemaChecks, digest: string, schema: JsonObject, item: ItemState): ReturnType<SchemaChecks['of']> {
  try {
    return checks.of(digest, schema);
  } catch (error) {
    // it was one when it was registered: a fault of ours, and no correction of it can be let in
    if (isGateError(error, 'PROVIDER_INVALID')) throw invalid(item, { pointer: '', problem: 'its schema cannot be evaluated' });
    throw error;
  }
}

function invalid({ itemId }: ItemState, { pointer, problem }: { readonly pointer: string; readonly problem: string }): GateError {
  return new GateError('CORRECTED_INPUT_INVALID', `The corrected input of item ${itemId} does not fit at ${pointer || 'its top'}: ${problem}`, {
    itemId, problems: [{ pointer, problem }],
  });
}
