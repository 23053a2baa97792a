import type { ItemAnswer, ItemCorrected, PlanEvent } from '@countersign/contracts';
import { foldOf, type Decision } from '@countersign/kernel';
import { planFacts } from '@countersign/testkit';
import fc from 'fast-check';
import {
  answerItems, closePlan, correctItem, currentInputOf, decisionOf, evolve, expireItems, initialPlan, isResolved, isSettled, itemsToApply, nextStep, planFold, propose,
  recordOutcomes, recordPreviews, recordVerdicts, startApply, toolResultOf, type PlanState,
} from './index.js';

const {
  LEASE, OPERATIONS, PLAN_ID, T0, answer, answered, applyStarted, at, attemptAt, closed, corrected, correction, evaluated, itemOutcome, itemsExpired, outcomes,
  previewTree, previewed, proposed, said, sealedInline, terms, verdict, vote, voted,
} = planFacts;

const itemId = fc.constantFrom('i1', 'i2', 'i3', 'i4', 'i9');
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 4 });
const names = fc.array(fc.constantFrom('read', 'write', 'edit', 'put', 'question'), { minLength: 1, maxLength: 4 });
const decision = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
const principal = fc.constantFrom('ann', 'ben', 'cyd');
const outcome = fc.constantFrom('applied' as const, 'failed' as const, 'skipped' as const, 'indeterminate' as const);
const reason = fc.constantFrom('cancelled' as const, 'policy_unavailable' as const, 'session_ended' as const);

const anAnswer = fc.record({ itemId, principal, says: fc.constantFrom('approve' as const, 'reject' as const), seconds: fc.nat(2_000) })
  .map(({ itemId: id, principal: who, says, seconds }) => answer(id, says, { principal: who, seconds }));
const aVote = fc.record({ itemId, principal, itemDigest: fc.constantFrom('digest-of-i1', 'digest-of-i2', 'old') })
  .map(({ itemId: id, principal: who, itemDigest }) => vote(id, who, { itemDigest }));
const aCorrection = fc.record({ itemId, principal, n: fc.nat(4), number: fc.integer({ min: 1, max: 4 }) })
  .map(({ itemId: id, principal: who, n, number }) => correction(id, { n }, { principal: who, correction: number }));
const someTerms = fc.record({ quorum: fc.integer({ min: 1, max: 3 }), onTimeout: fc.constantFrom('deny' as const, 'wait' as const), notRequester: fc.constantFrom(undefined, true as const) }).map((change) => terms(change));
const anOutcome = fc.record({ itemId, outcome, attempt: fc.integer({ min: 1, max: 3 }) })
  .map(({ itemId: id, outcome: ended, attempt }) => itemOutcome(id, ended, { attempt }));

/** Any facts in any order: also those no service would append. */
const anyEvent: fc.Arbitrary<PlanEvent> = fc.oneof(
  names.map((list) => proposed(list)),
  some(itemId).map((ids) => previewed(...ids.map((id) => previewTree(id)))),
  some(fc.tuple(itemId, decision, fc.constantFrom(undefined, 'old'))).map((list) => evaluated(...list.map(([id, says, itemDigest = `digest-of-${id}`]) => verdict(id, says, { itemDigest })))),
  some(aVote).map((list) => voted(...list)),
  aCorrection.map((fact) => corrected(fact)),
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
const judging = { planId: PLAN_ID, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: at(1), engine: 'core-1' };

const shownOf = (plan: PlanState, id: string): { itemDigest: string } => ({ itemDigest: plan.items.get(id)?.verdict?.itemDigest ?? 'none' });
/** One after the other, as writers do: what one event cannot hold is decided on the next fold. */
const answering = (list: readonly ItemAnswer[]): Step => (plan) => answerItems(plan, list.slice(0, 1).map((one) => said(one, shownOf(plan, one.itemId))));
/** A correction names what is shown, or was shown last: then it is the same again. */
const correcting = ({ correction: _number, correctedAt, ...fact }: ItemCorrected): Step => (plan) => {
  const { verdict: shown, corrections } = plan.items.get(fact.itemId) ?? {};
  try {
    return correctItem(plan, { ...fact, itemDigest: shown?.itemDigest ?? corrections?.at(-1)?.itemDigest ?? 'none', saidAt: correctedAt, decidedAt: correctedAt });
  } catch {
    return { reply: undefined };
  }
};

/** Any command, as its decision on a plan; one that refuses changes nothing. */
const step: fc.Arbitrary<Step> = fc.oneof(
  names.map((list): Step => (plan) => propose(plan, {
    planId: PLAN_ID, turnId: 't1', requester: 'agent', requestDigest: 'request', proposedAt: T0, saw: { session: 1, catalogue: 1 }, profile: 'default',
    providers: {}, operations: OPERATIONS, verdictDueAt: at(60),
    calls: list.map((name, index) => ({ callId: `c${index}`, operation: `files/${name}`, input: sealedInline({ n: index }) })),
  })),
  some(itemId).map((ids): Step => (plan) => recordPreviews(plan, { previews: ids.map((id) => previewTree(id)) })),
  some(fc.tuple(itemId, decision, someTerms)).map((list): Step => (plan) => recordVerdicts(plan, {
    ...judging,
    verdicts: list.map(([id, says, asked]) => (says === 'ask' && plan.items.get(id)?.operation.kind === 'resource'
      ? { itemId: id, decision: says, decidedBy: 'policy:default', terms: asked }
      : { itemId: id, decision: says === 'ask' ? 'deny' as const : says, decidedBy: 'policy:default' })),
  })),
  some(anAnswer).map(answering),
  aCorrection.map(correcting),
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
      const commands = writers.map(([who, says]) => said(answer('i1', says, { principal: who })));
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
        expect('error' in result ? result.error.code : 'repeated').toBe(same ? 'repeated' : 'ALREADY_RESOLVED');
      });
    }));
  });
});

describe('laws of votes and corrections', () => {
  it('no person counts twice, and no vote counts for what was shown before', () => {
    fc.assert(fc.property(withPlan, history, (events, more) => {
      for (const item of foldOf(planFold, [...events, ...more]).items.values()) {
        expect(new Set(item.votes.map((one) => one.principal)).size).toBe(item.votes.length);
        for (const one of item.votes) expect(one.itemDigest).toBe(item.verdict?.itemDigest);
      }
    }), { numRuns: 1_000 });
  });

  it('an approval of a quorum has as many people as the terms of that very view demand', () => {
    fc.assert(fc.property(fc.array(fc.oneof(step, some(anAnswer).map(answering)), { maxLength: 30 }), (all) => {
      const plan = all.reduce((state, decide) => landed(state, decide), initialPlan);
      for (const { answer: won, verdict: shown, votes } of plan.items.values()) {
        if (won?.decision !== 'approve') continue;
        const people = new Set([won.principal, ...votes.filter((one) => one.itemDigest === shown?.itemDigest).map((one) => one.principal)]);
        expect(people.size).toBe(shown?.terms?.quorum ?? 1);
      }
    }), { numRuns: 500 });
  });

  it('corrections are counted without gaps, the last one is in force, and the expiry stays that of the first ask', () => {
    fc.assert(fc.property(withPlan, history, (events, more) => {
      for (const item of foldOf(planFold, [...events, ...more]).items.values()) {
        expect(item.corrections.map((one) => one.correction)).toEqual(item.corrections.map((_, index) => index + 1));
        expect(item.earlier).toHaveLength(item.corrections.length);
        expect(currentInputOf(item)).toEqual(item.corrections.at(-1)?.input ?? item.proposed.input);
      }
    }));
    fc.assert(fc.property(steps, (all) => {
      const plan = all.reduce((state, decide) => landed(state, decide), initialPlan);
      for (const { earlier, verdict: shown } of plan.items.values()) {
        const first = earlier[0]?.verdict.expiresAt;
        if (first !== undefined && shown?.decision === 'ask') expect(shown.expiresAt).toBe(first);
      }
    }));
  });

  it('a quorum is complete exactly once under any interleaving of writers that lose and decide again', () => {
    const names5 = ['ann', 'ben', 'cyd', 'dee', 'eve'];
    fc.assert(fc.property(fc.integer({ min: 2, max: 4 }), fc.array(fc.constantFrom(...names5), { minLength: 1, maxLength: 12 }), fc.array(fc.nat(11), { maxLength: 60 }), (quorum, people, schedule) => {
      const before = foldOf(planFold, [proposed(['write']), evaluated(verdict('i1', 'ask', { terms: terms({ quorum }) }))]);
      const log: PlanEvent[] = [];
      const state = (): PlanState => log.reduce(evolve, before);
      const commands = people.map((who) => said(answer('i1', 'approve', { principal: who })));
      const decidedAt = new Map<number, { rev: number; event: PlanEvent | undefined }>();
      const turn = (writer: number): void => {
        const made = decidedAt.get(writer);
        if (made?.event && made.rev === log.length) log.push(made.event);
        decidedAt.set(writer, { rev: log.length, event: answerItems(state(), [commands[writer]!]).event });
      };
      for (const pick of schedule) turn(pick % people.length);
      for (let writer = 0; writer < people.length; writer += 1) { turn(writer); turn(writer); }
      const different = new Set(people).size;
      const item = state().items.get('i1')!;
      expect(item.answer !== undefined).toBe(different >= quorum);
      expect(log).toHaveLength(Math.min(different, quorum));
    }));
  });
});

function landed(plan: PlanState, decide: Step): PlanState {
  const { event } = decide(plan);
  return event ? evolve(plan, event) : plan;
}
