import type { Command } from 'commander';
import { replay } from '../replay.js';
import { renderEvent } from '../render/event.js';
import { renderPlan } from '../render/plan.js';
import { table, visible } from '../render/terminal.js';
import type { Shell } from '../shell.js';
import { answerCommands } from './answers.js';

export function planCommands(program: Command, shell: Shell): void {
  const plan = program.command('plan').description('look at plans and answer what they ask');

  plan.command('list').description('plans, newest first').option('--asked', 'only the items that wait for a person')
    .action(async (options: { asked?: true }) => (options.asked ? listAsked(shell) : listPlans(shell)));

  plan.command('show <plan>').description('the plan as its approver sees it')
    .option('--at <sequence>', 'as it was at this position of the log', Number)
    .action(async (id: string, options: { at?: number }) => {
      const view = await shell.client().plan(id, { at: options.at });
      shell.print(view, () => renderPlan(view));
    });

  plan.command('replay <plan>').description('step through its events, and the plan after each')
    .option('--all', 'without stopping after each event')
    .action(async (id: string, options: { all?: true }) => replay(shell, id, options.all === true));

  plan.command('events <plan>').description('its events, as the log holds them').action(async (id: string) => {
    const view = await shell.client().planEvents(id);
    shell.print(view, () => view.events.map(renderEvent).join('\n'));
  });

  plan.command('why <plan>').description('what it waits for').action(async (id: string) => {
    const view = await shell.client().why(id);
    shell.print(view, () => (view.waits.length === 0
      ? `Plan ${id} is ${view.status} and waits for nothing.`
      : view.waits.map((wait) => `${wait.itemIds.join(', ')}: ${wait.what} (since ${wait.since}${wait.until ? `, until ${wait.until}` : ''})`).join('\n')));
  });

  answerCommands(plan, shell);

  plan.command('cancel <plan>').description('deny all that is not decided yet, and start nothing more; what runs is not stopped').action(async (id: string) => {
    const view = await shell.client().cancelPlan(id);
    shell.print(view, () => renderPlan(view));
  });
}

async function listPlans(shell: Shell): Promise<void> {
  const page = await shell.client().auditPlans();
  shell.print(page, () => (page.rows.length === 0 ? 'There are none.' : table(page.rows.map((row) => [row.planId, visible(row.requester), row.proposedAt, `${row.items} items`]))));
}

/** From the audit, which is a moment behind the log. */
async function listAsked(shell: Shell): Promise<void> {
  const page = await shell.client().auditItems({ decision: 'ask' });
  shell.print(page, () => (page.rows.length === 0
    ? 'Nothing waits for a person.'
    : table(page.rows.map((row) => [row.planId, row.itemId, `${row.provider}/${visible(row.operation)}`, `risk ${row.risk}`]))));
}
