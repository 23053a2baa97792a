import type { AnswerDecision } from '@countersign/contracts';
import type { CallRequest, PlanItemView, PlanView } from '@countersign/contracts/http';
import type { CountersignClient } from '@countersign/sdk';
import { renderItem, renderPlan } from '../render/plan.js';
import { bold, dim, green } from '../render/terminal.js';
import { checkEffects, type Effects } from './effects.js';
import { contentOf, filesystemServer, makeScratch, newNotes, type Scratch } from './scratch.js';

export interface Answer { readonly decision: AnswerDecision; readonly reason?: string }

export interface DemoParts {
  /** Proposes, as an agent would. */
  readonly agent: CountersignClient;
  /** Registers the provider and answers what is asked. */
  readonly operator: CountersignClient;
  readonly stateFolder: string;
  readonly answer: (item: PlanItemView, plan: PlanView) => Promise<Answer>;
  readonly say: (line: string) => void;
  /** Names the scratch folder; unique to this run. */
  readonly run: string;
}

export interface DemoResult {
  readonly planIds: readonly string[];
  readonly effects: Effects;
}

const PROVIDER = 'demo-files';

/**
 * The main job on real input: a real MCP server, one turn with a read, a harmless write and an overwrite, and a second
 * turn whose overwrite is put before the operator as well. @throws Error when the disk is not what the outcomes say
 */
export async function runDemo(parts: DemoParts): Promise<DemoResult> {
  const scratch = await makeScratch(parts.stateFolder, parts.run);
  await parts.operator.registerProvider(filesystemServer(PROVIDER, scratch));
  parts.say(`A real MCP server (server-filesystem) now works on ${scratch.folder}, as provider "${PROVIDER}".`);
  const session = await parts.agent.openSession({ agent: 'demo-agent' });

  const before = { notes: await contentOf(scratch.notes), summary: await contentOf(scratch.summary) };
  const first = await turn(parts, session.sessionId, firstTurn(scratch));
  const between = { notes: await contentOf(scratch.notes), summary: await contentOf(scratch.summary) };
  const second = await turn(parts, session.sessionId, secondTurn(scratch));
  const after = { notes: await contentOf(scratch.notes), summary: await contentOf(scratch.summary) };

  await parts.agent.endSession(session.sessionId, 'the demonstration is over');
  const effects = checkEffects([{ plan: first, before, after: between }, { plan: second, before: between, after }]);
  for (const line of effects.lines) parts.say(green(line));
  return { planIds: [first.planId, second.planId], effects };
}

const firstTurn = (scratch: Scratch): CallRequest[] => [
  { callId: 'read-settings', provider: PROVIDER, operation: 'read_text_file', input: { path: scratch.settings } },
  { callId: 'write-summary', provider: PROVIDER, operation: 'write_file', input: { path: scratch.summary, content: 'The search service runs two replicas in eu.\n' } },
  { callId: 'update-notes', provider: PROVIDER, operation: 'write_file', input: { path: scratch.notes, content: newNotes() } },
];

const secondTurn = (scratch: Scratch): CallRequest[] => [
  { callId: 'empty-notes', provider: PROVIDER, operation: 'write_file', input: { path: scratch.notes, content: '' } },
];

async function turn(parts: DemoParts, session: string, items: CallRequest[]): Promise<PlanView> {
  parts.say(`\n${bold('The agent proposes')} ${items.map((item) => `${item.operation} (${item.callId})`).join(', ')}.`);
  const judged = await parts.agent.propose(session, { items }, { wait: 30, until: 'verdict' });
  for (const item of judged.items.filter((candidate) => candidate.decision === 'ask')) await askOperator(parts, judged, item);
  const settled = await parts.agent.plan(judged.planId, { wait: 60, until: 'settled' });
  parts.say(`\n${renderPlan(settled)}\n`);
  if (settled.status !== 'settled') throw new Error(`plan ${settled.planId} is not settled; \`countersign plan why ${settled.planId}\` says what it waits for`);
  return settled;
}

async function askOperator(parts: DemoParts, plan: PlanView, item: PlanItemView): Promise<void> {
  parts.say(`\n${bold('Asked of the operator:')}\n${renderItem(item)}`);
  const answer = await parts.answer(item, plan);
  if (!item.itemDigest) throw new Error(`item ${item.itemId} is asked and has no digest`);
  await parts.operator.decide(plan.planId, item.itemId, { ...answer, itemDigest: item.itemDigest });
  parts.say(dim(`answered: ${answer.decision}${answer.reason ? ` ("${answer.reason}")` : ''}`));
}
