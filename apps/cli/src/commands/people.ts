import type { Command } from 'commander';
import type { StandingGrantView } from '@countersign/contracts/http';
import { watchApprovals, type ApprovalFilter } from '@countersign/sdk';
import { oneLine, table, visible } from '../render/terminal.js';
import type { Shell } from '../shell.js';

/** The inbox over all plans, and what answers have granted. */
export function approvalCommands(program: Command, shell: Shell): void {
  const approvals = program.command('approvals').description('what waits for people, longest waiting first');
  const filtered = (command: Command): Command => command
    .option('--mine', 'only what this key may answer').option('--role <role>', 'that a holder of this role or group may answer').option('--provider <provider>')
    .option('--operation <operation>').option('--risk <risk>').option('--session <session>').option('--agent <agent>').option('--older-than <duration>', 'asked longer ago than 90s, 30m, 8h, 2d');
  filtered(approvals.command('list').description('all of it')).action(async (filter: ApprovalFilter) => {
    const rows: Waiting[] = [];
    for await (const row of shell.client().eachApproval(filter)) rows.push(row);
    shell.print({ rows }, () => (rows.length === 0 ? 'Nothing waits for a person.' : table(rows.map(cellsOf))));
  });
  filtered(approvals.command('watch').description('all of it, and each change as it comes; ends with Ctrl-C')).action(async (filter: ApprovalFilter) => {
    for await (const { added, removed } of watchApprovals(shell.client(), filter)) {
      for (const [sign, rows] of [['-', removed], ['+', added]] as const) {
        for (const row of rows) shell.print({ change: sign === '+' ? 'added' : 'removed', row }, () => `${sign} ${cellsOf(row).join('  ')}`);
      }
    }
  });
}

type Waiting = { readonly planId: string; readonly itemId: string; readonly provider: string; readonly operation: string; readonly risk: string; readonly askedAt: string; readonly approvals: number; readonly quorum: number };

const cellsOf = ({ planId, itemId, provider, operation, risk, askedAt, approvals, quorum }: Waiting): string[] =>
  [planId, itemId, `${provider}/${visible(operation)}`, `risk ${risk}`, `since ${askedAt}`, quorum > 1 ? `${approvals} of ${quorum}` : ''];

export function grantCommands(program: Command, shell: Shell): void {
  const grants = program.command('grants').description('standing grants: what people have answered for always');
  grants.command('list').description('those in force').option('--status <status>', 'active, expired or revoked').action(async (options: { status?: StandingGrantView['status'] }) => {
    const rows: StandingGrantView[] = [];
    let cursor: string | undefined;
    do {
      const page = await shell.client().grants({ ...options, ...(cursor === undefined ? {} : { cursor }) });
      rows.push(...page.grants);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    shell.print({ grants: rows }, () => (rows.length === 0 ? 'There are none.' : table(rows.map((one) => [one.grantId, one.decision, oneLine(one.covers, 200), `by ${oneLine(one.author)}`, `${one.hits ?? '?'} hits`]))));
  });
  grants.command('show <grant>').action(async (id: string) => {
    const view = await shell.client().grant(id);
    shell.print(view, () => renderGrant(view));
  });
  grants.command('revoke <grant>').description('from the next evaluation on').option('--reason <text>').action(async (id: string, options: { reason?: string }) => {
    const view = await shell.client().revokeGrant(id, options.reason);
    shell.print(view, () => `${id} is revoked`);
  });
}

const renderGrant = (view: StandingGrantView): string => [
  `${view.grantId}  ${view.status}`,
  `${view.decision}: ${oneLine(view.covers, 400)}`,
  `by ${oneLine(view.author)} since ${view.activatedAt}${view.expiresAt === undefined ? '' : `, until ${view.expiresAt}`}${view.reason === undefined ? '' : `, "${oneLine(view.reason, 400)}"`}`,
  `given for ${view.origin.itemId} of ${view.origin.plan}; ${view.hits ?? 'unknown'} hits${view.lastHitAt === undefined ? '' : `, the last one at ${view.lastHitAt}`}`,
  ...(view.revoked ? [`revoked by ${oneLine(view.revoked.by)} at ${view.revoked.at}${view.revoked.reason === undefined ? '' : `, "${oneLine(view.revoked.reason, 400)}"`}`] : []),
].join('\n');
