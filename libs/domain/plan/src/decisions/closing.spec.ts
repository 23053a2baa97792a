import { foldOf } from '@countersign/kernel';
import { planFacts, scenario } from '@countersign/testkit';
import { decisionOf } from '../item.js';
import { planFold } from '../state.js';
import { closePlan } from './close-plan.js';
import { expireItems } from './expire-items.js';

const { answer, answered, applyStarted, at, attemptAt, closed, corrected, correction, evaluated, itemOutcome, itemsExpired, outcomes, proposed, verdict } = planFacts;
const plan = proposed(['write', 'write', 'write']);

describe('expireItems', () => {
  const on = scenario(planFold, expireItems);
  const asked = [plan, evaluated(verdict('i1', 'ask'), verdict('i2', 'ask', { expiresAt: at(100) }), verdict('i3', 'allow'))];

  it('denies those whose time is over, once', () => {
    on.given(asked).when({ at: at(100) }).then([itemsExpired(100, 'i2')]).thenReply({ expired: ['i2'] });
    on.given(asked).when({ at: at(1_800) }).then([itemsExpired(1_800, 'i1', 'i2')]);
    on.given([...asked, itemsExpired(100, 'i2')]).when({ at: at(101) }).thenNothing().thenReply({ expired: [] });
    on.given([...asked, answered(answer('i2', 'approve'))]).when({ at: at(100) }).thenNothing();
    on.given(asked).when({ at: at(99) }).thenNothing();
  });
});

describe('a correction that waits for its verdict', () => {
  const waiting = [plan, evaluated(verdict('i1', 'ask', { expiresAt: at(100) }), verdict('i2', 'allow'), verdict('i3', 'allow')), corrected(correction('i1', { n: 9 }))];

  it('expires with the ask that it corrects', () => {
    const on = scenario(planFold, expireItems);
    on.given(waiting).when({ at: at(99) }).thenNothing();
    on.given(waiting).when({ at: at(100) }).then([itemsExpired(100, 'i1')]);
    expect(decisionOf(foldOf(planFold, [...waiting, itemsExpired(100, 'i1')]).items.get('i1')!)).toEqual({ decision: 'deny', decidedBy: 'expired' });
  });

  it.each(['cancelled', 'session_ended', 'policy_unavailable'] as const)('is denied when its plan is closed: %s', (reason) => {
    scenario(planFold, closePlan).given(waiting).when({ reason, by: 'service:planner', at: at(60) }).then([closed(reason)]);
    expect(foldOf(planFold, [...waiting, closed(reason)]).items.get('i1')!.closed).toBe(reason);
  });
});

describe('closePlan', () => {
  const on = scenario(planFold, closePlan);
  const command = (reason: 'cancelled' | 'policy_unavailable' | 'session_ended') => ({ reason, by: 'service:planner', at: at(60) });

  it('closes what is pending or asked, once', () => {
    on.given([plan]).when(command('cancelled')).then([closed('cancelled')]).thenReply({ repeated: false });
    on.given([plan, closed('cancelled')]).when(command('session_ended')).thenNothing().thenReply({ repeated: true });
    on.given([plan, evaluated(verdict('i1', 'ask'), verdict('i2', 'allow'), verdict('i3', 'allow'))]).when(command('session_ended')).then([closed('session_ended')]);
  });

  it('does not call policy unavailable when every item has its verdict', () => {
    on.given([plan, evaluated(verdict('i1', 'ask'), verdict('i2', 'allow'), verdict('i3', 'allow'))]).when(command('policy_unavailable')).thenNothing();
    on.given([plan, evaluated(verdict('i1', 'ask'))]).when(command('policy_unavailable')).then([closed('policy_unavailable')]);
  });

  it.each(['cancelled', 'session_ended'] as const)('stops what is allowed and has not ended: %s', (reason) => {
    const decided = [plan, evaluated(verdict('i1', 'allow'), verdict('i2', 'allow'), verdict('i3', 'deny'))];
    on.given(decided).when(command(reason)).then([closed(reason)]);
    const running = [...decided, applyStarted([attemptAt('i1')]), outcomes(itemOutcome('i2', 'applied'))];
    on.given(running).when(command(reason)).then([closed(reason)]);
    on.given([...running, outcomes(itemOutcome('i1', 'failed'))]).when(command(reason)).thenNothing();
    on.given(decided).when(command('policy_unavailable')).thenNothing();
  });

  it('also stops a plan that was closed because policy was away', () => {
    const away = [plan, evaluated(verdict('i1', 'allow')), closed('policy_unavailable')];
    on.given(away).when(command('cancelled')).then([closed('cancelled')]);
    const both = foldOf(planFold, [...away, closed('cancelled')]);
    expect([both.closed?.reason, both.items.get('i2')!.closed]).toEqual(['cancelled', 'policy_unavailable']);
    on.given([...away, closed('cancelled')]).when(command('session_ended')).thenNothing();
    on.given([...away, closed('cancelled')]).when(command('policy_unavailable')).thenNothing();
    expect(foldOf(planFold, [...away, closed('cancelled'), closed('policy_unavailable')])).toEqual(both);
  });

  it('says nothing when all has ended, and refuses a plan that is not there', () => {
    on.given([plan, evaluated(verdict('i1', 'deny'), verdict('i2', 'deny'), verdict('i3', 'deny'))]).when(command('cancelled')).thenNothing();
    on.given([]).when(command('cancelled')).thenRefused('NOT_FOUND');
  });
});
