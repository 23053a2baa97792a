import { randomBytes } from 'node:crypto';
import { LIMITS } from '@countersign/contracts';
import { GateError, canonicalJson, sha256 } from '@countersign/kernel';

/** What is made: part of the hash, so that one key may stand for a session and for a plan. */
export type CreationKind = 'session' | 'plan' | 'key' | 'freeze';

/**
 * The hash an id is made of. With an `Idempotency-Key` the same caller always gets the same id, so a repeated creation
 * meets the first; without one it is random.
 * @throws GateError INVALID_REQUEST
 */
export function creationHash(caller: { readonly tenant: string; readonly principal: string }, kind: CreationKind, header: unknown): string {
  if (header === undefined) return randomBytes(24).toString('hex');
  if (typeof header !== 'string' || header.length === 0 || header.length > LIMITS.idempotencyKeyChars || !/^[\x21-\x7e]+$/.test(header)) {
    throw new GateError('INVALID_REQUEST', `Idempotency-Key must have 1 to ${LIMITS.idempotencyKeyChars} printable ASCII characters without spaces`);
  }
  return sha256(canonicalJson([caller.tenant, caller.principal, kind, header]));
}
