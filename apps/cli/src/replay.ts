import { createInterface } from 'node:readline/promises';
import { renderEvent } from './render/event.js';
import { renderPlan } from './render/plan.js';
import type { Shell } from './shell.js';

/** Shows each event and the plan as it was right after it, from the log alone. */
export async function replay(shell: Shell, planId: string, all: boolean): Promise<void> {
  const client = shell.client();
  const { events } = await client.planEvents(planId);
  const steps = [];
  const stops = !all && !shell.json && process.stdin.isTTY === true;
  for (const [index, event] of events.entries()) {
    const plan = await client.plan(planId, { at: event.sequence });
    if (shell.json) steps.push({ event, plan });
    else shell.say(`\n${renderEvent(event)}\n\n${renderPlan(plan)}`);
    if (stops && index < events.length - 1 && !(await goOn())) return;
  }
  if (shell.json) shell.print({ steps }, () => '');
}

async function goOn(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('q')));
  const said = await Promise.race([terminal.question('\n[Enter] next event, [q] quit: '), ended]);
  terminal.close();
  return said.trim() !== 'q';
}
