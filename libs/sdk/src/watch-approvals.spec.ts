import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ApprovalChangeView, ApprovalView } from '@countersign/contracts/http';
import { watchApprovals, type ApprovalQueue } from './index.js';
import { startStubGate, type StubGate } from '../test/stub-gate.js';

const row = (itemId: string, itemDigest = 'd1'): ApprovalView => ({ planId: 'p1', itemId, itemDigest }) as ApprovalView;
const change = (sequence: number): ApprovalChangeView => ({ change: 'asked', planId: 'p1', sequence, at: '2026-01-01T00:00:00.000Z' });
const ids = ({ rows, added, removed }: ApprovalQueue) => [rows, added, removed].map((list) => list.map(({ itemId }) => itemId).join(' '));

describe('watching the queue', () => {
  let gate: StubGate;
  let stream: ServerResponse | undefined;
  let queue: { rows: ApprovalView[]; reflects: number };
  /** Answers of the list that are still older than `queue`. */
  let stale: { rows: ApprovalView[]; reflects: number }[];

  beforeEach(async () => {
    queue = { rows: [row('i1')], reflects: 5 };
    stale = [];
    gate = await startStubGate(({ path }, response) => {
      if (path.startsWith('/v1/approvals/events')) {
        stream = response;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      } else response.end(JSON.stringify(stale.shift() ?? queue));
    });
  });
  afterEach(() => gate.stop());
  const say = (name: string, data: object): void => { stream!.write(`id: 1\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`); };

  it('follows the log before it reads the list, so that nothing falls between', async () => {
    const watched = watchApprovals(gate.client, { mine: true });
    expect(ids((await watched.next()).value as ApprovalQueue)).toEqual(['i1', 'i1', '']);
    expect(gate.received.map(({ path }) => path)).toEqual(['/v1/approvals/events', '/v1/approvals?mine=true']);
    await watched.return(undefined);
  });

  it('tells what was added and removed, once the list has come to the change', async () => {
    const watched = watchApprovals(gate.client, {}, { pollMs: 0 });
    await watched.next();
    stale = [queue, queue];
    queue = { rows: [row('i2'), row('i3')], reflects: 7 };
    say('asked', change(7));
    const next = (await watched.next()).value as ApprovalQueue;
    expect(ids(next)).toEqual(['i2 i3', 'i2 i3', 'i1']);
    expect(next.because).toEqual({ id: '1', change: change(7) });
  });

  it('takes an item that has changed for another one, and says nothing of what the list already showed or its filter leaves out', async () => {
    const watched = watchApprovals(gate.client, {}, { pollMs: 0 });
    await watched.next();
    say('asked', change(4));
    queue = { ...queue, reflects: 6 };
    say('asked', change(6));
    const next = watched.next();
    while (gate.received.length < 3) await once(gate.requests, 'request');
    queue = { rows: [row('i1', 'd2')], reflects: 8 };
    say('corrected', change(8));
    expect(ids((await next).value as ApprovalQueue)).toEqual(['i1', 'i1', 'i1']);
    expect(gate.received).toHaveLength(4);
  });

  it('looks again after an event that the gate cannot read', async () => {
    const watched = watchApprovals(gate.client, {}, { pollMs: 0 });
    await watched.next();
    queue = { rows: [], reflects: 9 };
    say('unreadable', { stream: 'GATE', sequence: 9 });
    expect(ids((await watched.next()).value as ApprovalQueue)).toEqual(['', '', 'i1']);
  });

  it('fails with what the stream ends with, and when the list stays behind', async () => {
    const watched = watchApprovals(gate.client, {}, { pollMs: 0 });
    await watched.next();
    say('problem', { code: 'UNAUTHENTICATED', status: 401, detail: 'The key was revoked', title: 't' });
    await expect(watched.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message: 'The key was revoked' });
    const late = watchApprovals(gate.client, {}, { pollMs: 0 });
    await late.next();
    say('asked', change(99));
    await expect(late.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
