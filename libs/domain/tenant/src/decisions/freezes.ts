import { ID_PATTERN, LIMITS, PROVIDER_NAME_PATTERN, SESSION_ID_PATTERN, type Freeze, type FreezeTarget, type TenantEvent, type TenantUnfrozen } from '@countersign/contracts';
import { GateError, canonicalJson, type Decision } from '@countersign/kernel';
import { settingsOf, type TenantState } from '../state.js';
import { requireRegistered, type Repeatable } from './keys.js';

/**
 * A repetition of a freeze that was lifted is refused rather than called done: whoever sends it must know that nothing is frozen.
 * @throws GateError NOT_FOUND, INVALID_REQUEST, IDEMPOTENCY_KEY_REUSED, AGGREGATE_TOO_LONG
 */
export function freeze(tenant: TenantState, command: Freeze): Decision<TenantEvent, Repeatable> {
  requireRegistered(tenant);
  checkFreeze(command);
  const known = tenant.freezes.get(command.freezeId);
  if (tenant.lifted.has(command.freezeId)) throw new GateError('IDEMPOTENCY_KEY_REUSED', `The freeze ${command.freezeId} was lifted; freeze anew under another Idempotency-Key`, { freezeId: command.freezeId });
  if (known) {
    if (canonicalJson(saidBy(known)) === canonicalJson(saidBy(command))) return { reply: { repeated: true } };
    throw new GateError('IDEMPOTENCY_KEY_REUSED', `The freeze ${command.freezeId} names something else`, { freezeId: command.freezeId });
  }
  if (tenant.freezes.size >= LIMITS.freezes) throw new GateError('AGGREGATE_TOO_LONG', `At most ${LIMITS.freezes} freezes are in force at once; freeze the whole tenant, or lift some`);
  return { event: { type: 'tenant.Frozen', data: { freeze: command } }, reply: { repeated: false } };
}

/**
 * Where the settings said so when it was made, or say so now, somebody else than who froze must lift it: changing the settings is no way around.
 * @throws GateError NOT_FOUND, SECOND_PERSON_REQUIRED
 */
export function unfreeze(tenant: TenantState, command: TenantUnfrozen): Decision<TenantEvent, Repeatable> {
  requireRegistered(tenant);
  const { freezeId, by } = command;
  if (tenant.lifted.has(freezeId)) return { reply: { repeated: true } };
  const known = tenant.freezes.get(freezeId);
  if (!known) throw new GateError('NOT_FOUND', `There is no freeze ${freezeId}`);
  const bySecond = tenant.secondPersonFor.has(freezeId) || settingsOf(tenant).unfreezeBySecondPerson;
  if (bySecond && known.by === by) throw new GateError('SECOND_PERSON_REQUIRED', 'Whoever froze does not lift it; ask another admin', { freezeId });
  return { event: { type: 'tenant.Unfrozen', data: command }, reply: { repeated: false } };
}

function checkFreeze({ freezeId, target, reason }: Freeze): void {
  if (!ID_PATTERN.test(freezeId)) throw new GateError('INVALID_REQUEST', 'This is not a freeze’s id');
  if (reason.length === 0 || reason.length > LIMITS.reasonChars) throw new GateError('INVALID_REQUEST', `A freeze has a reason of 1 to ${LIMITS.reasonChars} characters`);
  checkTarget(target);
}

/** An unknown field would be a narrower wish that is not granted: refused. */
function checkTarget({ session, agent, provider, operation, ...more }: FreezeTarget): void {
  const unknown = Object.keys(more)[0];
  if (unknown !== undefined) throw new GateError('INVALID_REQUEST', `A freeze names session, agent, provider, operation or nothing, not ${unknown}`);
  if (session !== undefined && !SESSION_ID_PATTERN.test(session)) throw new GateError('INVALID_REQUEST', 'target.session is not a session’s id');
  if (provider !== undefined && !PROVIDER_NAME_PATTERN.test(provider)) throw new GateError('INVALID_REQUEST', 'target.provider is not a provider’s name');
  if (operation !== undefined && provider === undefined) throw new GateError('INVALID_REQUEST', 'target.operation is named with its provider');
  for (const [name, value] of Object.entries({ agent, operation })) {
    if (value !== undefined && (value.length === 0 || value.length > LIMITS.nameChars)) throw new GateError('INVALID_REQUEST', `target.${name} has 1 to ${LIMITS.nameChars} characters`);
  }
}

const saidBy = ({ target, by, reason }: Freeze): object => ({ target, by, reason });
