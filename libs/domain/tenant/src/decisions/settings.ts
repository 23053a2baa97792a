import type { TenantEvent, TenantSettings, TenantSettingsChanged } from '@countersign/contracts';
import { GateError, canonicalJson, type Decision } from '@countersign/kernel';
import type { TenantState } from '../state.js';
import { settingsOf } from '../state.js';
import { requireRegistered, type Repeatable } from './keys.js';

const COUNT_MAX = 1_000;
const WINDOW_MS = { min: 1_000, max: 24 * 3_600_000 };
const REPEATS_MAX = 100;
const WITHIN_MAX = 200;

/** All of them at once; what holds already says nothing. @throws GateError NOT_FOUND, INVALID_REQUEST */
export function changeSettings(tenant: TenantState, command: TenantSettingsChanged): Decision<TenantEvent, Repeatable> {
  requireRegistered(tenant);
  checkSettings(command.settings);
  if (canonicalJson(settingsOf(tenant)) === canonicalJson(command.settings)) return { reply: { repeated: true } };
  return { event: { type: 'tenant.SettingsChanged', data: command }, reply: { repeated: false } };
}

/** A loop's calls are counted among those that are looked at, so none longer than that is ever found. */
function checkSettings({ breaker, doomLoop, bypassPermissions, standingGrants, unfreezeBySecondPerson }: TenantSettings): void {
  whole('breaker.consecutive', breaker.consecutive, 0, COUNT_MAX);
  whole('breaker.count', breaker.count, 0, COUNT_MAX);
  whole('breaker.windowMs', breaker.windowMs, WINDOW_MS.min, WINDOW_MS.max);
  whole('doomLoop.repeats', doomLoop.repeats, 0, REPEATS_MAX);
  whole('doomLoop.within', doomLoop.within, 1, WITHIN_MAX);
  if (doomLoop.repeats === 1) throw new GateError('INVALID_REQUEST', 'doomLoop.repeats is 0 (off) or at least 2: one call repeats nothing');
  if (doomLoop.repeats > doomLoop.within) throw new GateError('INVALID_REQUEST', 'doomLoop.repeats is at most doomLoop.within');
  if ([bypassPermissions, standingGrants, unfreezeBySecondPerson].some((flag) => typeof flag !== 'boolean')) {
    throw new GateError('INVALID_REQUEST', 'bypassPermissions, standingGrants and unfreezeBySecondPerson are true or false');
  }
}

function whole(name: string, value: number, min: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < min || value > max) throw new GateError('INVALID_REQUEST', `${name} is a whole number from ${min} to ${max}`);
}
