import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { WebhookEvent, WebhookFormat } from '@countersign/contracts';
import type { FreezeRequest, SettingsBody } from '@countersign/contracts/http';
import { oneLine, table } from '../render/terminal.js';
import type { Shell } from '../shell.js';

/** What an admin sets: settings, the emergency stop, and whom the gate tells and asks. */
export function settingsCommands(program: Command, shell: Shell): void {
  const settings = program.command('settings').description('breaker, doom loop, permission modes, standing grants');
  settings.command('show').action(async () => {
    const view = await shell.client().settings();
    shell.print(view, () => JSON.stringify(view.settings, null, 2));
  });
  settings.command('set <file>').description('all of them at once, as JSON; `settings show` gives what to change').action(async (file: string) => {
    const view = await shell.client().changeSettings(JSON.parse(await readFile(file, 'utf8')) as SettingsBody);
    shell.print(view, () => 'The settings are changed.');
  });
}

export function freezeCommands(program: Command, shell: Shell): void {
  program.command('freeze').description('the emergency stop: nothing of what is named is allowed or started; without a name the whole tenant').requiredOption('--reason <text>')
    .option('--session <session>').option('--agent <agent>').option('--provider <provider>').option('--operation <operation>', 'with --provider')
    .action(async ({ reason, ...target }: { reason: string } & NonNullable<FreezeRequest['target']>) => {
      const view = await shell.client().freeze({ reason, ...(Object.keys(target).length === 0 ? {} : { target }) });
      shell.print(view, () => `frozen as ${view.freezeId}; countersign unfreeze ${view.freezeId} lifts it`);
    });
  program.command('unfreeze <freeze>').action(async (id: string) => {
    await shell.client().unfreeze(id);
    shell.print({ lifted: id }, () => `${id} is lifted`);
  });
  program.command('freezes').description('in force').action(async () => {
    const view = await shell.client().freezes();
    shell.print(view, () => (view.freezes.length === 0
      ? 'Nothing is frozen.'
      : table(view.freezes.map((one) => [one.freezeId, oneLine(JSON.stringify(one.target), 300), `by ${oneLine(one.by)}`, one.at, `"${oneLine(one.reason, 200)}"`]))));
  });
}

export function endpointCommands(program: Command, shell: Shell): void {
  const webhooks = program.command('webhooks').description('who is told what was asked, answered, expired or tripped');
  webhooks.command('list').action(async () => {
    const view = await shell.client().webhooks();
    shell.print(view, () => (view.webhooks.length === 0 ? 'There are none.' : table(view.webhooks.map((one) => [one.name, one.format, one.events.join(','), oneLine(one.url, 300)]))));
  });
  webhooks.command('add <name> <url>').description('the same name again replaces it, with another secret').option('--events <events...>', 'asked answered expired tripped').option('--format <format>', 'standard or slack')
    .action(async (name: string, url: string, options: { events?: WebhookEvent[]; format?: WebhookFormat }) => {
      const view = await shell.client().registerWebhook({ name, url, ...options });
      shell.print(view, () => `${view.secret}\n(shown once: it signs what ${name} gets)`);
    });
  webhooks.command('remove <name>').action(async (name: string) => {
    await shell.client().removeWebhook(name);
    shell.print({ removed: name }, () => `${name} is removed`);
  });
  const subscribers = program.command('subscribers').description('external checks that can veto a call before it is allowed or asked');
  subscribers.command('list').action(async () => {
    const view = await shell.client().subscribers();
    shell.print(view, () => (view.subscribers.length === 0 ? 'There are none.' : table(view.subscribers.map((one) => [one.name, `${one.deadlineMs} ms`, oneLine(one.url, 300)]))));
  });
  subscribers.command('add <name> <url>').description('from now on it is asked at each evaluation, and its silence denies').option('--deadline-ms <ms>', 'no answer by then denies', Number)
    .action(async (name: string, url: string, options: { deadlineMs?: number }) => {
      const view = await shell.client().registerSubscriber({ name, url, ...options });
      shell.print(view, () => `${view.secret}\n(shown once: it signs what ${name} is asked)`);
    });
  subscribers.command('remove <name>').action(async (name: string) => {
    await shell.client().removeSubscriber(name);
    shell.print({ removed: name }, () => `${name} is removed`);
  });
}
