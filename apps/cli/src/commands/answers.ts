import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { AnswerDecision, GrantNarrow, JsonObject, Scope } from '@countersign/contracts';
import type { PlanItemView, PlanView } from '@countersign/contracts/http';
import { CountersignError } from '@countersign/sdk';
import { renderItem, renderPlan } from '../render/plan.js';
import { oneLine } from '../render/terminal.js';
import type { Shell } from '../shell.js';
import { narrowFrom } from './narrow-from.js';

interface AnswerOptions { readonly reason?: string; readonly digest?: string; readonly scope: Scope; readonly narrow?: string; readonly until?: string; readonly yes?: true }

/** One person's answers to one item, as it is shown now. */
export function answerCommands(plan: Command, shell: Shell): void {
  for (const decision of ['approve', 'reject'] as const) {
    plan.command(`${decision} <plan> <item>`).description(`${decision} one asked item; by itself this one call only`)
      .option('--reason <text>', decision === 'reject' ? 'the agent is told this' : 'kept with the answer')
      .option('--digest <digest>', 'refuse unless the item is still what this digest names (default: as it is shown now)')
      .option('--scope <scope>', 'once, session (this operation for the rest of the session) or always (a standing grant)', 'once')
      .option('--narrow <condition>', 'with session or always, less than the operation: exact, path:<pointer>=<prefix>, host:<pointer>=<host>; e.g. path:/path=/docs')
      .option('--until <time>', 'with always: RFC 3339, or 90s, 30m, 8h, 7d from now')
      .option('--yes', 'do not ask before an answer that reaches further than the item')
      .action((id: string, item: string, options: AnswerOptions) => answer(shell, id, item, decision, options));
  }
  plan.command('correct <plan> <item>').description('give an asked item other arguments: checked, previewed and judged again; your approval too where nothing is previewed')
    .requiredOption('--input <json>', 'all of the arguments, as JSON, or @file')
    .option('--reason <text>', 'kept with the correction').option('--digest <digest>', 'as with approve').option('--no-confirm', 'only correct; answer when you have seen what comes of it')
    .action((id: string, item: string, options: { input: string; reason?: string; digest?: string; confirm: boolean }) => correct(shell, id, item, options));
}

async function answer(shell: Shell, id: string, itemId: string, decision: AnswerDecision, options: AnswerOptions): Promise<void> {
  const client = shell.client();
  const { item, itemDigest } = await shownItem(shell, id, itemId, options.digest);
  const narrow = options.narrow === undefined ? undefined : narrowFrom(options.narrow, item.inputDigest);
  if (options.scope !== 'once' && !options.yes) await confirm(shell, id, item, decision, options.scope, narrow);
  const reach = { scope: options.scope, ...(narrow ? { narrow } : {}), ...(options.until === undefined ? {} : { grantExpiresAt: options.until }) };
  const view = await client.decide(id, itemId, { decision, itemDigest, reason: options.reason, ...(options.scope === 'once' && !narrow && !options.until ? {} : reach) });
  shell.print(view, () => [
    rendered(view, itemId),
    ...(view.pending ? [`${view.pending.approvals} of ${view.pending.quorum} approvals so far`] : []),
    ...(view.grantId === undefined ? [] : [`granted as ${view.grantId}`]),
    ...(view.alsoAsked ?? []).map((one) => `the same is asked in ${one.itemId} of ${one.planId}, which this did not answer`),
  ].join('\n'));
}

/** What a wider answer would reach, in words, and for always what it would have decided; silence is a no. */
async function confirm(shell: Shell, planId: string, item: PlanItemView, decision: AnswerDecision, scope: Scope, narrow: GrantNarrow | undefined): Promise<void> {
  if (scope === 'always') {
    const { covers, asked, approved, rejected, notComparable } = await shell.client().previewGrant({ planId, itemId: item.itemId, ...(narrow ? { narrow } : {}) });
    console.error(`${decision} ${oneLine(covers, 400)}. In the last 30 days people were asked about ${asked} such calls: ${approved} approved, ${rejected} rejected${notComparable > 0 ? `; of ${notComparable} it cannot be told` : ''}.`);
  } else {
    console.error(`${decision} every ${oneLine(item.operation)} of ${oneLine(item.provider)} in this session${narrow ? `, where ${oneLine(JSON.stringify(narrow), 300)}` : ''}.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('n')));
  const said = await Promise.race([terminal.question('Is that what you want? [y]es / [n]o: '), ended]);
  terminal.close();
  if (!/^y(es)?$/i.test(said.trim())) throw new CountersignError('INVALID_REQUEST', 0, 'Nothing was answered');
}

async function correct(shell: Shell, id: string, itemId: string, options: { input: string; reason?: string; digest?: string; confirm: boolean }): Promise<void> {
  const { itemDigest } = await shownItem(shell, id, itemId, options.digest);
  const text = options.input.startsWith('@') ? await readFile(options.input.slice(1), 'utf8') : options.input;
  const view = await shell.client().correct(id, itemId, { itemDigest, input: JSON.parse(text) as JsonObject, reason: options.reason, confirm: options.confirm });
  shell.print(view, () => [rendered(view, itemId), ...(view.confirmed ? [] : [`not approved yet${view.notConfirmedBecause === undefined ? '' : `: ${oneLine(view.notConfirmedBecause, 400)}`}`])].join('\n'));
}

async function shownItem(shell: Shell, id: string, itemId: string, digest: string | undefined): Promise<{ readonly item: PlanItemView; readonly itemDigest: string }> {
  const item = (await shell.client().plan(id)).items.find((one) => one.itemId === itemId);
  if (!item) throw new CountersignError('NOT_FOUND', 404, `Plan ${id} has no item ${itemId}`);
  const itemDigest = digest ?? item.itemDigest;
  if (!itemDigest) throw new CountersignError('NOT_ASKED', 409, `Item ${itemId} has no verdict yet; \`countersign plan why ${id}\` says what it waits for`);
  return { item, itemDigest };
}

function rendered(view: PlanView, itemId: string): string {
  const after = view.items.find((item) => item.itemId === itemId);
  return after ? renderItem(after) : renderPlan(view);
}
