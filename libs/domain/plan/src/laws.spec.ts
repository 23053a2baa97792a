import type { PlanEvent } from '@countersign/contracts';
import { foldOf, type Decision } from '@countersign/kernel';
import { planFacts } from '@countersign/testkit';
import fc from 'fast-check';
import {
  answerItems, closePlan, decisionOf, evolve, expireItems, initialPlan, isResolved, isSettled, itemsToApply, nextStep, planFold, propose,
  recordOutcomes, recordPreviews, recordVerdicts, startApply, toolResultOf, type PlanState,
} from './index.js';

const { LEASE, OPERATIONS, PLAN_ID, T0, answer, answered, applyStarted, at, attemptAt, closed, evaluated, itemOutcome, itemsExpired, outcomes, previewTree, previewed, proposed, sealedInline, verdict } = planFacts;

const itemId = fc.constantFrom('i1', 'i2', 'i3', 'i4', 'i9');
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 4 });
const names = fc.array(fc.constantFrom('read', 'write', 'edit', 'put', 'question'), { minLength: 1, maxLength: 4 });
const decision = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
const principal = fc.constantFrom('ann', 'ben', 'cyd');
const outcome = fc.constantFrom('applied' as const, 'failed' as const, 'skipped' as const, 'indeterminate' as const);
const reason = fc.constantFrom('cancelled' as const, 'policy_unavailable' as const, 'session_ended' as const);

const anAnswer = fc.record({ itemId, principal, says: fc.constantFrom('approve' as const, 'reject' as const), seconds: fc.nat(2_000) })
  .map(({ itemId: id, principal: who, says, seconds }) => answer(id, says, { principal: who, seconds }));
const anOutcome = fc.record({ itemId, outcome, attempt: fc.integer({ min: 1, max: 3 }) })
  .map(({ itemId: id, outcome: ended, attempt }) => itemOutcome(id, ended, { attempt }));

/** Any facts in any order: also those no service would append. */
const anyEvent: fc.Arbitrary<PlanEvent> = fc.oneof(
  names.map((list) => proposed(list)),
  some(itemId).map((ids) => previewed(...ids.map((id) => previewTree(id)))),
  some(fc.tuple(itemId, decision)).map((said) => evaluated(...said.map(([id, says]) => verdict(id, says)))),
  some(anAnswer).map((list) => answered(...list)),
  some(itemId).map((ids) => itemsExpired(9, ...ids)),
  some(fc.tuple(itemId, fc.nat(9))).map((list) => applyStarted(list.map(([id, fence]) => attemptAt(id, 1, fence)))),
  some(anOutcome).map((list) => outcomes(...list)),
  reason.map((why) => closed(why)),
  fc.constant({ type: 'plan.FromTheFuture', data: {} } as unknown as PlanEvent),
);
const history = fc.array(anyEvent, { maxLength: 12 });
const withPlan = fc.tuple(names.map((list) => proposed(list)), history).map(([first, rest]) => [first, ...rest]);

type Step = (plan: PlanState) => Decision<PlanEvent, unknown>;
const judging = { planId: PLAN_ID, askExpiresAt: at(1_800), bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: at(1), engine: 'core-1' };

/** Any command, as its decision on a plan; one that refuses changes nothing. */
const step: fc.Arbitrary<Step> = fc.oneof(
  names.map((list): Step => (plan) => propose(plan, {
    planId: PLAN_ID, turnId: 't1', requester: 'agent', requestDigest: 'request', proposedAt: T0, saw: { session: 1, catalogue: 1 }, profile: 'default',
    providers: {}, operations: OPERATIONS, verdictDueAt: at(60),
    calls: list.map((name, index) => ({ callId: `c${index}`, operation: `files/${name}`, input: sealedInline({ n: index }) })),
  })),
  some(itemId).map((ids): Step => (plan) => recordPreviews(plan, { previews: ids.map((id) => previewTree(id)) })),
  some(fc.tuple(itemId, decision)).map((said): Step => (plan) => recordVerdicts(plan, {
    ...judging,
    verdicts: said.map(([id, says]) => ({ itemId: id, decision: says === 'ask' && plan.items.get(id)?.operation.kind !== 'resource' ? 'deny' as const : says, decidedBy: 'policy:default' })),
  })),
  some(anAnswer).map((list): Step => (plan) => answerItems(plan, list.map((said) => ({ ...said, itemDigest: plan.items.get(said.itemId)?.verdict?.itemDigest ?? 'none' })))),
  fc.nat(2_000).map((seconds): Step => (plan) => expireItems(plan, { at: at(seconds) })),
  reason.map((why): Step => (plan) => (plan.proposed ? closePlan(plan, { reason: why, by: 'service:planner', at: at(60) }) : { reply: undefined })),
  fc.constant<Step>((plan) => startApply(plan, { tenant: 'acme', planId: PLAN_ID, items: itemsToApply(plan).map((item) => item.itemId), lease: LEASE, startedAt: at(2) })),
  outcome.map((ended): Step => (plan) => recordOutcomes(plan, {
    outcomes: [...plan.items.values()].filter((item) => decisionOf(item).decision === 'allow' && (item.attempts.length > 0 || item.operation.kind !== 'resource'))
      .map((item) => itemOutcome(item.itemId, ended, { attempt: Math.max(1, item.attempts.length) })),
  })),
);
const steps = fc.array(step, { maxLength: 20 });

const decisionsOf = (plan: PlanState) => [...plan.items.values()].map((item) => decisionOf(item));

describe('laws of the plan', () => {
  it('evolve is total, and every question has an answer on any history', () => {
    fc.assert(fc.property(history, (events) => {
      const plan = foldOf(planFold, events);
      nextStep(plan, new Date(at(100)));
      for (const item of plan.items.values()) toolResultOf(item);
      expect(typeof isSettled(plan)).toBe('boolean');
    }), { numRuns: 1_000 });
  });

  it('folding in two parts is folding in one', () => {
    fc.assert(fc.property(history, history, (first, second) => {
      expect(second.reduce(evolve, foldOf(planFold, first))).toEqual(foldOf(planFold, [...first, ...second]));
    }));
  });

  it('never changes the state it was given', () => {
    fc.assert(fc.property(withPlan, anyEvent, (events, event) => {
      const before = foldOf(planFold, events);
      const copy = structuredClone(before);
      evolve(before, event);
      expect(before).toEqual(copy);
    }));
  });

  it('what is allowed or denied stays so, by the same decider, whatever is appended later', () => {
    fc.assert(fc.property(withPlan, history, (first, later) => {
      const before = foldOf(planFold, first);
      const after = later.reduce(evolve, before);
      for (const item of before.items.values()) {
        if (isResolved(item)) expect(decisionOf(after.items.get(item.itemId)!)).toEqual(decisionOf(item));
      }
    }), { numRuns: 1_000 });
  });

  it('the same fact twice is the fact once, but for a start', () => {
    fc.assert(fc.property(withPlan, anyEvent.filter((event) => event.type !== 'plan.ApplyStarted'), (events, event) => {
      const once = evolve(foldOf(planFold, events), event);
      const twice = evolve(once, event);
      expect(decisionsOf(twice)).toEqual(decisionsOf(once));
      expect(twice.closed).toEqual(once.closed);
    }));
  });
});

describe('laws of the decisions', () => {
  it('deciding twice changes nothing', () => {
    fc.assert(fc.property(steps, step, (before, last) => {
      const plan = before.reduce((state, decide) => landed(state, decide), initialPlan);
      const once = landed(plan, last);
      expect(last(once).event).toBeUndefined();
    }), { numRuns: 1_000 });
  });

  it('every appended event changes the fold', () => {
    fc.assert(fc.property(steps, (all) => {
      let plan = initialPlan;
      for (const decide of all) {
        const { event } = decide(plan);
        if (!event) continue;
        const next = evolve(plan, event);
        expect(next).not.toEqual(plan);
        plan = next;
      }
    }), { numRuns: 500 });
  });

  it('fences rise, and no item is started twice without recovery', () => {
    fc.assert(fc.property(steps, (all) => {
      const plan = all.reduce((state, decide) => landed(state, decide), initialPlan);
      const fences = [...plan.items.values()].flatMap((item) => item.attempts.map((attempt) => attempt.fence));
      expect(new Set(fences).size).toBe(fences.length);
      for (const item of plan.items.values()) expect(item.attempts.length).toBeLessThanOrEqual(1);
    }), { numRuns: 500 });
  });

  it('the first answer wins under any interleaving of writers that lose and decide again', () => {
    fc.assert(fc.property(fc.array(fc.tuple(principal, fc.constantFrom('approve' as const, 'reject' as const)), { minLength: 1, maxLength: 8 }), fc.array(fc.nat(7), { maxLength: 40 }), (writers, schedule) => {
      const before = foldOf(planFold, [proposed(['write']), evaluated(verdict('i1', 'ask'))]);
      const log: PlanEvent[] = [];
      const state = () => log.reduce(evolve, before);
      const commands = writers.map(([who, says]) => ({ ...answer('i1', says, { principal: who }), itemDigest: 'digest-of-i1' }));
      const decidedAt = new Map<number, { rev: number; event: PlanEvent | undefined }>();
      const turn = (writer: number): void => {
        const made = decidedAt.get(writer);
        if (made?.event && made.rev === log.length) log.push(made.event);
        decidedAt.set(writer, { rev: log.length, event: answerItems(state(), [commands[writer]!]).event });
      };
      for (const pick of schedule) turn(pick % writers.length);
      for (let writer = 0; writer < writers.length; writer += 1) { turn(writer); turn(writer); }
      expect(log).toHaveLength(1);
      const won = state().items.get('i1')!.answer!;
      const results = answerItems(state(), commands).reply;
      results.forEach((result, index) => {
        const same = commands[index]!.principal === won.principal && commands[index]!.decision === won.decision;
        expect(result.ok ? 'repeated' : result.error.code).toBe(same ? 'repeated' : 'ALREADY_RESOLVED');
      });
    }));
  });
});

function landed(plan: PlanState, decide: Step): PlanState {
  const { event } = decide(plan);
  return event ? evolve(plan, event) : plan;
}
