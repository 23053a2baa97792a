import type { ApprovalView } from '@countersign/contracts/http';
import type { ApprovalEvent } from './approval-events.js';
import type { CountersignClient } from './client.js';
import { CountersignError } from './http-transport.js';
import type { ApprovalFilter } from './queries.js';

/** How the queue stands, and how it differs from what was told before. */
export interface ApprovalQueue {
  /** All that waits, oldest first. */
  readonly rows: readonly ApprovalView[];
  readonly added: readonly ApprovalView[];
  readonly removed: readonly ApprovalView[];
  /** The change in the log that led to it; absent for the first, which is the queue as it is found. */
  readonly because?: ApprovalEvent;
}

export interface ApprovalWatch {
  readonly signal?: AbortSignal;
  /** Between two questions while the list has not come to a change yet. Default 100 ms. */
  readonly pollMs?: number;
}

/** Answers that are behind the log, before it is given up. */
const PATIENCE = 100;

/**
 * The queue under a filter as it is, and again after each change that shows in it. The stream says that something changed,
 * the list what: it is read until it reflects the change. Ends when the stream ends.
 * @throws CountersignError also UNAVAILABLE when the list stays behind the log
 */
export async function* watchApprovals(client: CountersignClient, filter: ApprovalFilter = {}, watch: ApprovalWatch = {}): AsyncGenerator<ApprovalQueue> {
  const changes = await client.approvalChanges({ ...(watch.signal ? { signal: watch.signal } : {}) });
  let { rows, reflects } = await whole(client, filter);
  yield { rows, added: rows, removed: [] };
  for await (const because of changes) {
    const sequence = 'change' in because ? because.change.sequence : because.unreadable.sequence;
    if (sequence <= reflects) continue;
    const before = rows;
    ({ rows, reflects } = await reflecting(client, filter, sequence, watch));
    const queue = { rows, added: without(rows, before), removed: without(before, rows), because };
    if (queue.added.length + queue.removed.length > 0) yield queue;
  }
}

interface Whole { readonly rows: readonly ApprovalView[]; readonly reflects: number }

/** `reflects` of the first page: what came later may be in it or not. */
async function whole(client: CountersignClient, filter: ApprovalFilter): Promise<Whole> {
  const first = await client.approvals(filter);
  const rows = [...first.rows];
  for (let cursor = first.nextCursor; cursor !== undefined;) {
    const page = await client.approvals({ ...filter, cursor });
    rows.push(...page.rows);
    cursor = page.nextCursor;
  }
  return { rows, reflects: first.reflects };
}

async function reflecting(client: CountersignClient, filter: ApprovalFilter, sequence: number, { pollMs = 100, signal }: ApprovalWatch): Promise<Whole> {
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    signal?.throwIfAborted();
    const now = await whole(client, filter);
    if (now.reflects >= sequence) return now;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new CountersignError('UNAVAILABLE', 503, 'The list of approvals stays behind the log; `countersign audit status` says how far it is');
}

/** An item whose digest has changed is another one: an answer to the old one is refused. */
const keyOf = ({ planId, itemId, itemDigest }: ApprovalView): string => `${planId} ${itemId} ${itemDigest}`;

function without(rows: readonly ApprovalView[], others: readonly ApprovalView[]): ApprovalView[] {
  const known = new Set(others.map(keyOf));
  return rows.filter((row) => !known.has(keyOf(row)));
}
