import fc from 'fast-check';
import type { ItemId, PlanEvent } from '@countersign/contracts';
import { currentInputOf, decisionOf, initialPlan, isAsked, mayExpire, outcomeOf, planFold, type PlanState } from '@countersign/domain-plan';
import { openAuditStore, type AuditStore } from '../index.js';
import { AuditDatabases, PASSWORDS } from '../../test/audit-database.js';
import { Tale, plan } from '../../test/messages.js';
import { corrected, judged } from '../../test/decision-facts.js';
import { answered, closed, evaluated, expired, outcome, previewed, proposed, started } from '../../test/plan-facts.js';

let databases: AuditDatabases;
let store: AuditStore;
beforeAll(async () => {
  databases = await AuditDatabases.start();
  const database = await databases.create();
  store = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
}, 60_000);
afterAll(async () => {
  await store.close();
  await databases.stop();
});

const ITEMS: readonly ItemId[] = ['i1', 'i2'];
const item = fc.constantFrom(...ITEMS);
const attempt = fc.integer({ min: 1, max: 3 });
const facts = fc.oneof(
  fc.tuple(fc.subarray([...ITEMS], { minLength: 1 }), fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const), fc.integer({ min: 1, max: 4 }))
    .map(([items, verdict, round]) => evaluated(Object.fromEntries(items.map((id) => [id, verdict])), round)),
  fc.tuple(item, fc.constantFrom('approve' as const, 'reject' as const)).map(([id, decision]) => answered(id, decision)),
  item.map((id) => expired([id])),
  item.map((id) => corrected(id)),
  item.map((id) => judged({ [id]: {} }, 2)),
  item.map((id) => previewed([id])),
  fc.constantFrom(closed('cancelled'), closed('policy_unavailable'), closed('session_ended')),
  fc.tuple(item, attempt).map(([id, number]) => started([id], number)),
  fc.tuple(item, fc.constantFrom('applied' as const, 'failed' as const, 'skipped' as const, 'indeterminate' as const), attempt)
    .map(([id, result, number]) => outcome(id, result, number)),
);

/** planner appends answers, corrections and expiries of asked items only, so the log holds no other. */
function mayBeAppended(state: PlanState, event: PlanEvent): boolean {
  const asked = (id: ItemId): boolean => isAsked(state.items.get(id)!);
  if (event.type === 'plan.ItemsAnswered') return event.data.answers.every((answer) => asked(answer.itemId));
  if (event.type === 'plan.ItemsExpired') return event.data.items.every((id) => mayExpire(state.items.get(id)!));
  if (event.type === 'plan.ItemCorrected') return asked(event.data.itemId);
  return true;
}

/** Each correction of an item is the next one. */
const numbered = (state: PlanState, event: PlanEvent): PlanEvent => (event.type === 'plan.ItemCorrected' ? corrected(event.data.itemId, state.items.get(event.data.itemId)!.corrections.length + 1) : event);

it('item_states says of every item what the fold of its plan says, whatever verdicts, closings and outcomes come in whatever order', async () => {
  const tale = new Tale();
  let number = 0;
  let projected = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { maxLength: 10 }), async (events) => {
      const key = plan('t1', (number += 1));
      let state = initialPlan;
      for (const said of [proposed(ITEMS), ...events]) {
        const event = numbered(state, said);
        if (event.type !== 'plan.Proposed' && !mayBeAppended(state, event)) continue;
        state = planFold.evolve(state, event);
        tale.tell(key, event);
      }
      await store.project(tale.messages.slice(projected));
      projected = tale.messages.length;
      const { rows } = await store.queryItems('t1', { limit: ITEMS.length });
      const folded = ITEMS.map((id) => {
        const { decision, decidedBy } = decisionOf(state.items.get(id)!);
        return { planId: key.id, itemId: id, decision, decidedBy, outcome: outcomeOf(state.items.get(id)!), inputDigest: currentInputOf(state.items.get(id)!).digest };
      });
      expect([...rows].reverse().map(({ planId, itemId, decision, decidedBy, outcome: result, inputDigest }) => ({ planId, itemId, decision, decidedBy, outcome: result, inputDigest }))).toEqual(folded);
    }),
    { numRuns: 150 },
  );
}, 60_000);
