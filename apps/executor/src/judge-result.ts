import type { Json, ProviderFailure } from '@countersign/contracts';
import { failure } from '@countersign/providers';
import type { Bodies } from './bodies.js';
import { outcomeLost, type Ended } from './work.js';

export type Judged = Pick<Ended, 'outcome' | 'result' | 'error'>;

/**
 * A result that does not fit the output schema of the plan's snapshot is an `unknown` error and is not given to the
 * model (`SEMANTICS` § 4). The message says that the call was answered, because its effect may have taken place.
 */
export function judgeResult({ misfit }: Bodies, result: Json): Judged {
  const problem = misfit(result);
  if (problem === undefined) return { outcome: 'applied', result };
  const message = `The provider answered, but its result does not fit the operation’s output schema (${problem}); the call may have taken effect`;
  return { outcome: 'failed', error: failure('unknown', message) };
}

/** Found out afterwards, it is applied whatever the words are in which the adapter says so; words that do not fit are left out. */
export const judgeReconciled = ({ misfit }: Bodies, result: Json): Judged =>
  (misfit(result) === undefined ? { outcome: 'applied', result } : { outcome: 'applied' });

/**
 * The item must not be called any more (its session ended, its verdict is too old).
 * @param doubt an earlier call may have taken effect
 * @param last the failure of the call before, when there was one
 */
export function judgeStopped(why: ProviderFailure, doubt: boolean, last?: ProviderFailure): Judged {
  if (doubt) return { outcome: 'indeterminate', error: last ?? outcomeLost() };
  return last ? { outcome: 'failed', error: last } : { outcome: 'skipped', error: why };
}
