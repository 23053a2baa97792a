import type { Command } from 'commander';
import { CountersignError } from '@countersign/sdk';
import { renderEvent } from '../render/event.js';
import { oneLine, table } from '../render/terminal.js';
import type { Shell } from '../shell.js';

export function auditCommands(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('what the database keeps of the log');
  audit.command('status').description('how far it is, and what it could not take').action(async () => {
    const view = await shell.client().auditStatus();
    shell.print(view, () => [
      table(Object.entries(view.checkpoints).map(([stream, { sequence, logSequence }]) => [stream, `${sequence} of ${logSequence}`, `${logSequence - sequence} behind`])),
      `${view.quarantined} events in quarantine`,
    ].join('\n'));
  });
  audit.command('plans').description('plans, newest first').option('--from <time>').option('--to <time>').option('--session <id>').option('--requester <principal>')
    .option('--limit <n>', 'rows a page', Number).option('--cursor <cursor>')
    .action(async (options: Record<string, string | number>) => {
      const page = await shell.client().auditPlans(options);
      shell.print(page, () => [table(page.rows.map((row) => [row.planId, row.requester, row.proposedAt, `${row.items} items`])), more(page.nextCursor)].join('\n'));
    });
  audit.command('items').description('plan items with verdict, answer and outcome').option('--from <time>').option('--to <time>').option('--session <id>')
    .option('--provider <name>').option('--operation <name>').option('--decision <decision>').option('--risk <risk>').option('--limit <n>', 'rows a page', Number).option('--cursor <cursor>')
    .action(async (options: Record<string, string | number>) => {
      const page = await shell.client().auditItems(options);
      shell.print(page, () => [table(page.rows.map((row) => [row.planId, row.itemId, `${row.provider}/${row.operation}`, row.risk, row.decision ?? '-', row.answeredBy ?? '-', row.outcome ?? '-'])), more(page.nextCursor)].join('\n'));
    });
  audit.command('rebuild').description('build every table again from the log, beside those in use, and compare their digests')
    .option('--verify', 'fail when a digest differs (it always compares; without this it only reports)')
    .action(async (options: { verify?: true }) => {
      const report = await shell.client().auditRebuild();
      shell.print(report, () => [
        table(report.tables.map((one) => [one.digest === one.rebuiltDigest ? 'identical' : 'DIFFERS', one.table, `${one.rows} rows`, one.digest.slice(0, 16), one.rebuiltDigest.slice(0, 16)])),
        report.identical ? `identical up to ${JSON.stringify(report.upTo)}` : 'The database differs from the log.',
      ].join('\n'));
      if (options.verify && !report.identical) throw new CountersignError('AUDIT_MISMATCH', 409, 'What the database says differs from the log');
    });
}

const more = (cursor: string | undefined): string => (cursor ? `more: --cursor ${cursor}` : '');

export function deadLetterCommands(program: Command, shell: Shell): void {
  const letters = program.command('dead-letters').description('deliveries that ran out of tries');
  letters.command('list').action(async () => {
    const { deadLetters } = await shell.client().deadLetters();
    shell.print({ deadLetters }, () => (deadLetters.length === 0 ? 'There are none.' : table(deadLetters.map((one) => [one.stream, String(one.sequence), one.service, one.at, oneLine(one.reason, 80)]))));
  });
  letters.command('show <stream> <sequence>').action(async (stream: string, sequence: string) => {
    const view = await shell.client().deadLetter(stream, Number(sequence));
    shell.print(view, () => [`${view.stream} ${view.sequence}  ${view.service}  ${view.at}`, oneLine(view.reason, 400), ...(view.event ? [renderEvent(view.event)] : [])].join('\n'));
  });
  letters.command('retry <stream> <sequence>').description('drive the same event through the same handler again').action(async (stream: string, sequence: string) => {
    const view = await shell.client().retryDeadLetter(stream, Number(sequence));
    shell.print(view, () => `taken by ${view.services.join(', ')}`);
  });
}
