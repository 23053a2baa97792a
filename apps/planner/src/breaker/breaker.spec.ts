import {
  DEFAULT_TENANT_SETTINGS, LIMITS, planIdFrom, planKey, type ItemVerdict, type PlanEvent, type SessionEvent, type StoredEvent, type TenantSettings,
} from '@countersign/contracts';
import { planFold, recordVerdicts } from '@countersign/domain-plan';
import { sessionFold, type SessionState } from '@countersign/domain-session';
import { InMemoryEventLog, createAggregateStore } from '@countersign/event-log';
import { GateError, foldOf } from '@countersign/kernel';
import { SESSION, call, plannerInMemory, refusalOf } from '../test/planner-in-memory.js';

type Says = readonly ['allow' | 'ask' | 'deny', string?];
const planNo = (no: number): string => planIdFrom(SESSION, no.toString(16).padStart(24, '0'));
const NO: Says = ['deny', 'policy:no'];
const YES: Says = ['allow', 'policy:default'];

async function planner(settings: Partial<TenantSettings> = {}) {
  const under = plannerInMemory();
  await under.ready();
  if (Object.keys(settings).length > 0) {
    await under.care.changeSettings({ context: under.context(), settings: { ...DEFAULT_TENANT_SETTINGS, ...settings }, at: under.at() });
  }
  const policyLog = new InMemoryEventLog('policy', under.broker, under.now);
  let plans = 0;
  const session = (): SessionState => foldOf(sessionFold, under.broker.all('GATE').filter(({ key }) => key.aggregate === 'session') as unknown as SessionEvent[]);
  const propose = async (calls = 1, input = (index: number) => ({ path: `${plans}-${index}` })): Promise<string> => {
    const plan = planNo(plans += 1);
    await under.proposals.propose(under.proposal(Array.from({ length: calls }, (_, index) => call(`c${index}`, 'write_file', input(index))), { planId: plan, at: under.at() }));
    await under.breaker.idle();
    return plan;
  };
  /** As policy appends it, and as it is then delivered to planner. */
  const judge = async (plan: string, ...says: readonly Says[]): Promise<StoredEvent<PlanEvent>> => {
    await createAggregateStore(policyLog, planFold).transact(planKey('acme', plan), ({ state }) => recordVerdicts(state, {
      planId: plan, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: under.at(), engine: 'spec',
      verdicts: says.map(([decision, decidedBy = 'policy:default'], index) => ({ itemId: `i${index + 1}`, decision, decidedBy })),
    }), { meta: { actor: 'service:policy', correlationId: 'r1' } });
    const event = under.broker.all('GATE').at(-1) as StoredEvent<PlanEvent>;
    await under.breaker.evaluated(event);
    return event;
  };
  const turn = async (...says: readonly Says[]): Promise<string> => {
    const plan = await propose(says.length);
    await judge(plan, ...says);
    return plan;
  };
  const reject = async (plan: string): Promise<void> => {
    await under.answers.answer(under.answer({ planId: plan, decision: 'reject' }));
    await under.breaker.idle();
  };
  return { ...under, session, propose, judge, turn, reject };
}
type Under = Awaited<ReturnType<typeof planner>>;
const times = async (count: number, work: () => Promise<unknown>): Promise<void> => { for (let done = 0; done < count; done += 1) await work(); };

describe('the circuit breaker', () => {
  it('trips at the fifth denial in a row, whoever said no, and says what it counted', async () => {
    const under = await planner();
    await under.turn(NO);
    await under.turn(['deny', 'guardrail:g']);
    await under.turn(['deny', 'veto:v']);
    await under.turn(['deny', 'mode:dontAsk']);
    expect(under.session().limit).toBeUndefined();
    await under.reject(await under.turn(['ask']));
    expect(under.session().limit).toMatchObject({
      cause: 'circuit_breaker', detail: '5 denials in a row; the bound is 5',
      items: [1, 2, 3, 4, 5].map((no) => ({ plan: planNo(no), itemId: 'i1' })),
      endsAt: new Date(under.now().getTime() + LIMITS.finalTurnMs).toISOString(),
    });
    expect(under.warnings).toMatchObject([{ cause: 'circuit_breaker' }]);
  });

  it('begins again after an item that was allowed, by policy or by a person', async () => {
    const under = await planner();
    await times(4, () => under.turn(NO));
    await under.turn(YES);
    await times(4, () => under.turn(NO));
    const asked = await under.turn(['ask']);
    await under.answers.answer(under.answer({ planId: asked }));
    await times(1, () => under.turn(NO));
    expect(under.session().limit).toBeUndefined();
    await under.turn(YES);
    await under.turn(NO);
    expect(under.session().limit).toMatchObject({ cause: 'circuit_breaker', detail: '10 denials within 600 s; the bound is 10' });
  });

  it('counts what was denied within the window only', async () => {
    const under = await planner({ breaker: { consecutive: 0, count: 3, windowMs: 60_000 } });
    await times(2, () => under.turn(NO));
    await under.timers.advanceBy(59_999);
    await under.turn(YES);
    await under.timers.advanceBy(1);
    await times(2, () => under.turn(NO));
    expect(under.session().limit).toBeUndefined();
    await under.turn(NO);
    expect(under.session().limit?.detail).toBe('3 denials within 60 s; the bound is 3');
  });

  it.each([['breaker'], ['loop'], ['freeze:ops'], ['session:ended']])('does not count what was denied by %s', async (by) => {
    const under = await planner();
    await times(12, () => under.turn(['deny', by]));
    expect(under.session().limit).toBeUndefined();
  });

  it('does not count what nobody answered in time, nor does that begin anew', async () => {
    const under = await planner();
    await times(4, () => under.turn(NO));
    await under.turn(['ask']);
    await under.timers.advanceBy(LIMITS.askExpiryMs + LIMITS.verdictMs);
    expect(under.session().limit).toBeUndefined();
    await under.turn(NO);
    expect(under.session().limit?.items).toHaveLength(5);
  });

  it('is off at 0', async () => {
    const under = await planner({ breaker: { consecutive: 0, count: 0, windowMs: 60_000 } });
    await times(12, () => under.turn(NO));
    expect(under.session().limit).toBeUndefined();
  });

  it('counts the items of one plan, in their order', async () => {
    const under = await planner();
    await under.turn(NO, NO, NO, NO, NO, YES);
    expect(under.session().limit?.items.map(({ itemId }) => itemId)).toEqual(['i1', 'i2', 'i3', 'i4', 'i5']);
  });

  it('trips once, also when its fact is delivered again', async () => {
    const under = await planner();
    const plan = await under.propose(5);
    const event = await under.judge(plan, NO, NO, NO, NO, NO);
    const before = under.broker.all('GATE').length;
    await under.breaker.evaluated(event);
    expect(under.broker.all('GATE')).toHaveLength(before);
  });

  it('counts from the log what other processes and earlier ones have seen', async () => {
    const first = await planner();
    await times(4, async () => { await first.turn(NO); });
    const { plannerServices } = await import('../planner-services.js');
    const other = plannerServices({
      log: first.log, blobs: first.blobs, timers: first.timers, now: first.now, policy: first.policy, config: { broker: { urls: [], user: '', password: '' } },
      logger: { info: () => {}, warn: () => {}, error: () => {} },
    });
    const plan = await first.propose();
    const breaker = first.breaker.evaluated;
    first.breaker.evaluated = async () => undefined;
    const event = await first.judge(plan, NO);
    first.breaker.evaluated = breaker;
    expect(first.session().limit).toBeUndefined();
    await other.breaker.evaluated(event);
    expect(first.session().limit?.items).toHaveLength(5);
  });

  it('looks again at the next verdict when the log could not be read', async () => {
    const under = await planner();
    const asked = await under.turn(['ask'], NO, NO, NO, NO);
    const { follow } = under.log;
    under.log.follow = () => { throw new GateError('UNAVAILABLE'); };
    await under.reject(asked);
    under.log.follow = follow;
    expect(under.session().limit).toBeUndefined();
    await under.turn(YES);
    expect(under.session().limit?.items).toHaveLength(5);
  });

  it('reads nothing while nothing is denied and nothing is repeated', async () => {
    const under = await planner();
    const reads: string[] = [];
    const { follow } = under.log;
    under.log.follow = (...what) => { reads.push(what[1]); return follow.apply(under.log, what); };
    await times(5, async () => { await under.turn(YES, ['ask']); });
    expect(reads).toEqual([]);
    await under.turn(NO);
    expect(reads).toEqual([`evt.acme.${SESSION}.plan.>`]);
  });
});

describe('the doom loop', () => {
  const same = () => ({ path: 'same' });

  it('trips at the third same call in a row', async () => {
    const under = await planner();
    await times(2, () => under.propose(1, same));
    expect(under.session().limit).toBeUndefined();
    await under.propose(1, same);
    expect(under.session().limit).toMatchObject({
      cause: 'doom_loop', detail: 'files/write_file was called 3 times in a row with the same arguments, within the last 8 calls',
      items: [1, 2, 3].map((no) => ({ plan: planNo(no), itemId: 'i1' })),
    });
  });

  it('does not trip where another call comes between', async () => {
    const under = await planner();
    await times(2, () => under.propose(1, same));
    await under.propose(1);
    await times(2, () => under.propose(1, same));
    expect(under.session().limit).toBeUndefined();
  });

  it('looks at the last calls only', async () => {
    const under = await planner({ doomLoop: { repeats: 3, within: 4 } });
    await under.propose(6, (index) => ({ path: index < 3 ? 'same' : String(index) }));
    expect(under.session().limit).toBeUndefined();
    await under.propose(4, (index) => ({ path: index < 3 ? 'same' : String(index) }));
    expect(under.session().limit?.cause).toBe('doom_loop');
  });

  it('is off at 0', async () => {
    const under = await planner({ doomLoop: { repeats: 0, within: 8 } });
    await times(10, () => under.propose(1, same));
    expect(under.session().limit).toBeUndefined();
  });
});

describe('the final turn', () => {
  const tripped = async (): Promise<Under> => {
    const under = await planner();
    await under.turn(NO, NO, NO, NO, NO);
    return under;
  };

  it('is the next plan: it is taken, recorded and denied, and then the session ends', async () => {
    const under = await tripped();
    const last = await under.propose(2);
    expect(under.session().ended).toBeUndefined();
    await under.judge(last, ['deny', 'breaker'], ['deny', 'breaker']);
    expect(under.session().ended).toMatchObject({ by: 'service:planner', reason: 'limit_reached: circuit_breaker' });
    expect(under.typesOf(last)).toEqual(['plan.Proposed', 'plan.Evaluated']);
    expect(await refusalOf(under.propose())).toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('ends after a guardrail’s denials as well, and only when all of the plan is denied', async () => {
    const under = await tripped();
    const last = await under.propose(2);
    await under.judge(last, ['deny', 'guardrail:g']);
    expect(under.session().ended).toBeUndefined();
    const verdict: Says = ['deny', 'breaker'];
    await createAggregateStore(new InMemoryEventLog('policy', under.broker, under.now), planFold).transact(planKey('acme', last), ({ state }) => recordVerdicts(state, {
      planId: last, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: under.at(), engine: 'spec',
      verdicts: [{ itemId: 'i2', decision: verdict[0], decidedBy: verdict[1]! }] as (Omit<ItemVerdict, 'itemDigest'>)[],
    }), { meta: { actor: 'service:policy', correlationId: 'r1' } });
    await under.breaker.evaluated(under.broker.all('GATE').at(-1) as StoredEvent<PlanEvent>);
    expect(under.session().ended?.reason).toBe('limit_reached: circuit_breaker');
  });

  it('is not a plan that was proposed before the trip and judged after it', async () => {
    const under = await planner();
    const before = await under.propose();
    await under.turn(NO, NO, NO, NO, NO);
    await under.judge(before, ['deny', 'breaker']);
    expect(under.session().ended).toBeUndefined();
  });

  it('ends by the clock when nothing is proposed, and resolves what still waits', async () => {
    const under = await planner();
    const waiting = await under.turn(['ask']);
    await under.turn(NO, NO, NO, NO, NO);
    await under.timers.advanceBy(LIMITS.finalTurnMs - 1);
    expect(under.session().ended).toBeUndefined();
    await under.timers.advanceBy(1);
    expect(under.session().ended?.reason).toBe('limit_reached: circuit_breaker');
    expect(under.planState(waiting).closed?.reason).toBe('session_ended');
  });
});
