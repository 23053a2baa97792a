import type { Json, TenantId } from '@countersign/contracts';
import { currentInputOf, type ItemState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import { unseal, type BlobStore } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import { needsInput } from '@countersign/policy-engine';
import type { TenantPolicy } from './tenant-policy.js';

interface Where { readonly blobs: BlobStore; readonly tenant: TenantId }

/** An item's arguments for its judgement: read from beside the log only where a condition may look at them. */
export function inputFor(item: ItemState, { compiled }: TenantPolicy, { grants }: SessionState, where: Where): Json | undefined | Promise<Json | undefined> {
  const input = currentInputOf(item);
  if (input.value !== undefined) return input.value;
  return needsInput(compiled, item.operation, [...grants.values()]) ? inputOrNone(item, where) : undefined;
}

/** Undefined for arguments that are lost: every condition about them fails then, which never allows, and no executor can apply them. @throws GateError UNAVAILABLE */
export async function inputOrNone(item: ItemState, where: Where): Promise<Json | undefined> {
  try {
    return await unseal(currentInputOf(item), where);
  } catch (error) {
    if (isGateError(error, 'BLOB_MISSING')) return undefined;
    throw error;
  }
}
