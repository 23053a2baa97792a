import type { Command } from 'commander';
import type { AuditRebuildView, DeadLetterListView, DeadLetterView, RetriedView } from '@countersign/contracts/http';
import { CountersignError, rebuildAudit } from '@countersign/sdk';
import { renderEvent } from '../render/event.js';
import { oneLine, table } from '../render/terminal.js';
import type { Shell } from '../shell.js';

export function auditCommands(program: Command, shell: Shell): void {
  const audit = program.command('audit').description('what the database keeps of the log');
  audit.command('status').description('how far it is, and what it could not take').option('--whole', 'of all tenants; needs the operator’s key')
    .action(async ({ whole }: { whole?: true }) => {
      const view = await (whole ? shell.operator().wholeAuditStatus() : shell.client().auditStatus());
      shell.print(view, () => [
        table(Object.entries(view.checkpoints).map(([stream, { sequence, logSequence, halted }]) => [stream, `${sequence} of ${logSequence}`, halted ? `stopped: ${halted.code}` : `${logSequence - sequence} behind`])),
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
  audit.command('rebuild').description('build every table again from the log, beside those in use, and compare their digests; needs the operator’s key')
    .option('--verify', 'fail when a digest differs (it always compares; without this it only reports)')
    .action(async (options: { verify?: true }) => {
      const report = await rebuildAudit(shell.operator(), { progress: progressTeller() });
      shell.print(report, () => [
        table(report.tables.map((one) => [one.digest === one.rebuiltDigest ? 'identical' : 'DIFFERS', one.table, `${one.rows} rows`, one.digest.slice(0, 16), one.rebuiltDigest.slice(0, 16)])),
        report.identical ? `identical up to ${JSON.stringify(report.upTo)}` : 'The database differs from the log.',
      ].join('\n'));
      if (options.verify && !report.identical) throw new CountersignError('AUDIT_MISMATCH', 409, 'What the database says differs from the log');
    });
}

const more = (cursor: string | undefined): string => (cursor ? `more: --cursor ${cursor}` : '');

/** On standard error, so that the answer stays the answer; said once as long as nothing has changed. */
function progressTeller(): (status: AuditRebuildView) => void {
  let said = '';
  return ({ state, events, total }) => {
    const line = `rebuild ${state}: ${events} of ${total} events`;
    if (line !== said) console.error(line);
    said = line;
  };
}

interface Which { readonly service?: string; readonly ownerless?: true }

export function deadLetterCommands(program: Command, shell: Shell): void {
  const letters = program.command('dead-letters').description('deliveries that ran out of tries');
  const command = (name: string) => letters.command(name).option('--ownerless', 'what belongs to no tenant; needs the operator’s key');
  command('list').action(async ({ ownerless }: Which) => {
    const { deadLetters }: DeadLetterListView = await (ownerless ? shell.operator().ownerlessDeadLetters() : shell.client().deadLetters());
    shell.print({ deadLetters }, () => (deadLetters.length === 0 ? 'There are none.' : table(deadLetters.map((one) => [one.stream, String(one.sequence), one.service, one.at, oneLine(one.reason, 80)]))));
  });
  command('show <stream> <sequence>').option('--service <service>', 'of several that could not handle it').action(async (stream: string, sequence: string, { service, ownerless }: Which) => {
    const at = [stream, Number(sequence), service] as const;
    const view: DeadLetterView = await (ownerless ? shell.operator().ownerlessDeadLetter(...at) : shell.client().deadLetter(...at));
    shell.print(view, () => [`${view.stream} ${view.sequence}  ${view.service}  ${view.at}`, oneLine(view.reason, 400), ...(view.event ? [renderEvent(view.event)] : [])].join('\n'));
  });
  command('retry <stream> <sequence>').option('--service <service>', 'only its handler; without this those of all that could not handle it')
    .description('drive the same event through the same handler again')
    .action(async (stream: string, sequence: string, { service, ownerless }: Which) => {
      const at = [stream, Number(sequence), service] as const;
      const view: RetriedView = await (ownerless ? shell.operator().retryOwnerlessDeadLetter(...at) : shell.client().retryDeadLetter(...at));
      shell.print(view, () => [`taken by ${view.services.join(', ')}`, ...view.failures.map((one) => `not by ${one.service}: ${one.code}: ${oneLine(one.message, 400)}`)].join('\n'));
      const [failure] = view.failures;
      if (failure) throw new CountersignError(failure.code, 0, `${failure.service} could not handle it again`);
    });
}
