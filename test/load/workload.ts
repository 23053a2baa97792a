import type { PlanView } from '@countersign/contracts/http';
import type { GateUnderLoad } from './gate.js';
import type { Answer } from './http-load.js';

const PROVIDER = 'load';

/** A provider without previews whose operations do nothing, so that what is measured is the gate; and rules that allow one and ask for the other. */
export async function prepare(gate: GateUnderLoad): Promise<string[]> {
  await gate.admin.registerProvider({ name: PROVIDER, endpoint: { transport: 'fake', behaviour: 'previewable=no&safe&keyed=no' } });
  await gate.admin.activatePolicy({ rules: [
    { id: 'allow-notes', match: { provider: PROVIDER, tool_name: 'write_note' }, action: 'allow' },
    { id: 'ask-overwrites', match: { provider: PROVIDER, tool_name: 'overwrite_note' }, action: 'ask' },
  ] });
  const sessions = await Promise.all(Array.from({ length: 16 }, () => gate.admin.openSession({ agent: 'load' })));
  return sessions.map((session) => session.sessionId);
}

export interface Proposal { readonly ms: number; readonly plan: PlanView }

/** Proposes three allowed items and waits for the verdict or the end. @throws Error when the gate refuses or stops waiting */
export async function propose(gate: GateUnderLoad, sessions: readonly string[], index: number, until: 'verdict' | 'settled'): Promise<Proposal> {
  const session = sessions[index % sessions.length]!;
  const answer = await gate.http.send('POST', `/v1/sessions/${session}/plans?wait=60&until=${until}`, { items: threeItems('write_note', index) });
  return { ms: answer.ms, plan: checked(answer, (plan) => plan.items.every((item) => (until === 'settled' ? item.outcome === 'applied' : item.decision === 'allow'))) };
}

/** A plan of three asked items: what answers come in for later. */
export async function proposeAsked(gate: GateUnderLoad, sessions: readonly string[], index: number): Promise<PlanView> {
  const session = sessions[index % sessions.length]!;
  const answer = await gate.http.send('POST', `/v1/sessions/${session}/plans?wait=60&until=verdict`, { items: threeItems('overwrite_note', index) });
  return checked(answer, (plan) => plan.items.every((item) => item.decision === 'ask'));
}

export async function approve(gate: GateUnderLoad, plan: PlanView, item: number): Promise<number> {
  const { itemId, itemDigest } = plan.items[item]!;
  const answer = await gate.http.send('POST', `/v1/plans/${plan.planId}/items/${itemId}/decision`, { decision: 'approve', itemDigest });
  checked(answer, (after) => after.items[item]?.decision === 'allow');
  return answer.ms;
}

const threeItems = (operation: string, index: number) =>
  [1, 2, 3].map((call) => ({ callId: `call-${call}`, provider: PROVIDER, operation, input: { name: `note-${index}-${call}`, text: 'A line of the size that notes have.' } }));

function checked(answer: Answer, good: (plan: PlanView) => boolean): PlanView {
  if (answer.status >= 300) throw new Error(`the gate answered ${answer.status}: ${answer.body.slice(0, 400)}`);
  const plan = JSON.parse(answer.body) as PlanView;
  if (!good(plan)) throw new Error(`plan ${plan.planId} did not come as far as it should: ${JSON.stringify(plan.items.map((item) => [item.decision, item.outcome]))}`);
  return plan;
}
