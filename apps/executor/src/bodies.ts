import type { Json, JsonObject, OperationSnapshot, Sealed } from '@countersign/contracts';
import { currentInputOf, type ItemState } from '@countersign/domain-plan';
import { unseal } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import type { ExecutorParts, Work } from './work.js';

/** What a call needs that may stand outside of its plan's events. */
export interface Bodies {
  readonly input: JsonObject;
  /** Why a result does not fit the operation's output schema; undefined when it does, or when there is none. */
  readonly misfit: (result: Json) => string | undefined;
}

/** A body is gone for good, or cannot be used. The call must not be made. */
export interface Gone { readonly gone: 'input' | 'output schema' }

export type BodiesOf = ReadonlyMap<string, Bodies | Gone>;

/**
 * Reads everything before anything is begun, so that a store that is away for a moment costs only another delivery of the
 * message. Arguments come from the log and from nowhere else. All inputs of a plan came in one request, and so fit into memory.
 * @throws GateError UNAVAILABLE when a store does not answer
 */
export async function readBodies(items: readonly ItemState[], work: Work, parts: ExecutorParts): Promise<BodiesOf> {
  const checks = new Map<string, Promise<Bodies['misfit'] | undefined>>();
  const checkOf = async ({ outputSchema }: OperationSnapshot): Promise<Bodies['misfit'] | undefined> => {
    if (!outputSchema) return () => undefined;
    let check = checks.get(outputSchema.digest);
    if (!check) checks.set(outputSchema.digest, check = readCheck(outputSchema, work, parts));
    return await check;
  };
  const read = async (item: ItemState): Promise<Bodies | Gone> => {
    const [input, misfit] = await Promise.all([bodyOf(currentInputOf(item), work, parts), checkOf(item.operation)]);
    if (input === undefined) return { gone: 'input' };
    return misfit ? { input, misfit } : { gone: 'output schema' };
  };
  return new Map(await Promise.all(items.map(async (item): Promise<[string, Bodies | Gone]> => [item.itemId, await read(item)])));
}

async function bodyOf<T>(sealed: Sealed<T>, { key }: Work, { blobs }: ExecutorParts): Promise<T | undefined> {
  try {
    return await unseal(sealed, { blobs, tenant: key.tenant });
  } catch (error) {
    if (isGateError(error, 'BLOB_MISSING')) return undefined;
    throw error;
  }
}

async function readCheck(sealed: Sealed<JsonObject>, work: Work, parts: ExecutorParts): Promise<Bodies['misfit'] | undefined> {
  const schema = await bodyOf(sealed, work, parts);
  if (schema === undefined) return undefined;
  try {
    const check = parts.schemas.of(sealed.digest, schema);
    return (result) => {
      const found = check(result, Buffer.byteLength(JSON.stringify(result)));
      return found && `${found.pointer || 'its top'}: ${found.problem}`;
    };
  } catch (error) {
    if (isGateError(error, 'PROVIDER_INVALID')) return undefined;
    throw error;
  }
}
