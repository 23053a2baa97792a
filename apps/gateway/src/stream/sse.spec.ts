import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { LIMITS, type PlanEvent } from '@countersign/contracts';
import type { EventView, IssuedKeyView } from '@countersign/contracts/http';
import { MemoryGate } from '../spec-support/memory-gate.js';
import { formatCursor, type Cursor } from './cursor.js';
import { SseWriter } from './sse-writer.js';

interface Read { readonly id: string; readonly name: string; readonly view: EventView }

/** A reader of one event stream over a real socket. */
class Reader {
  readonly events: Read[] = [];
  text = '';
  ended = false;
  private constructor(private readonly incoming: IncomingMessage, readonly drop: () => void) {
    incoming.setEncoding('utf8').on('data', (chunk: string) => this.take(chunk)).on('close', () => { this.ended = true; }).on('error', () => { this.ended = true; });
  }

  static open(port: number, path: string, key: string, headers: Record<string, string> = {}): Promise<Reader> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${key}`, ...headers } }, (incoming) => resolve(new Reader(incoming, () => sent.destroy())));
      sent.on('error', reject).end();
    });
  }

  get status(): number | undefined { return this.incoming.statusCode; }
  get contentType(): string | undefined { return this.incoming.headers['content-type']; }

  async until(holds: (reader: Reader) => boolean): Promise<void> {
    for (let tries = 0; !holds(this); tries += 1) {
      if (tries > 500) throw new Error(`not reached; read: ${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  private take(chunk: string): void {
    this.text += chunk;
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => block.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) this.events.push({ id: field('id') ?? '', name: field('event') ?? '', view: JSON.parse(data) as EventView });
    }
  }
}

describe('event streams', () => {
  let gate: MemoryGate;
  let admin: string;
  let key: string;
  let session: string;

  beforeEach(async () => {
    gate = await new MemoryGate().start();
    admin = await gate.tenant('acme');
    key = await gate.key(admin, 'bot', 'proposer', 'approver', 'auditor');
    session = await gate.session(key);
  });
  afterEach(() => gate.stop());

  const plan = async (callId: string) => {
    await gate.ask('POST', `/v1/sessions/${session}/plans`, key, { body: { items: [{ callId, provider: 'files', operation: 'read_file', input: {} }] } });
  };
  const types = (reader: Reader) => reader.events.map(({ view }) => view.type);

  it('give a session from its start, go on live, and go on from the last id after a reconnect', async () => {
    const first = await Reader.open(gate.port, `/v1/sessions/${session}/events?cursor=start`, key);
    expect([first.status, first.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await plan('a');
    await first.until(({ events }) => events.length === 2);
    expect(types(first)).toEqual(['session.Opened', 'plan.Proposed']);
    const lastId = first.events.at(-1)!.id;
    first.drop();
    await plan('b');
    const second = await Reader.open(gate.port, `/v1/sessions/${session}/events`, key, { 'last-event-id': lastId });
    await plan('c');
    await second.until(({ events }) => events.length === 2);
    expect(new Set([...first.events, ...second.events].map(({ view }) => view.sequence)).size).toBe(4);
    expect(second.events.map(({ view }) => (view.data as { items: { callId: string }[] }).items[0]!.callId)).toEqual(['b', 'c']);
    second.drop();
  });

  it('give what comes from now on when no cursor is given, and both logs of a tenant', async () => {
    const reader = await Reader.open(gate.port, '/v1/events', key);
    await plan('a');
    await gate.key(admin, 'someone', 'auditor');
    await reader.until(({ events }) => events.length === 2);
    expect(types(reader)).toEqual(['plan.Proposed', 'tenant.KeyIssued']);
    expect(JSON.stringify(reader.events)).not.toContain('secretHash');
    reader.drop();
  });

  it('say where an event lies that cannot be read, with nothing of its body, and go on', async () => {
    await plan('a');
    const bad = gate.broker.all('GATE').at(-1)!.sequence;
    await gate.append('policy', 'acme', gate.broker.all('GATE').at(-1)!.key.id, { type: 'plan.Evaluated', data: { secretShape: 1 } } as unknown as PlanEvent);
    await plan('b');
    gate.unreadable.add(bad);
    const reader = await Reader.open(gate.port, '/v1/events?cursor=start', key);
    await reader.until(({ events }) => events.some(({ name, view }) => name === 'plan.Proposed' && view.sequence === bad + 2));
    const [first, second] = reader.events.filter(({ name }) => name === 'unreadable');
    expect([first!.view, second!.view]).toEqual([{ stream: 'GATE', sequence: bad }, { stream: 'GATE', sequence: bad + 1 }]);
    reader.drop();
    const again = await Reader.open(gate.port, '/v1/events', key, { 'last-event-id': second!.id });
    await again.until(({ events }) => events.length > 0);
    expect(again.events[0]!.view.sequence).toBe(bad + 2);
    again.drop();
  });

  it('are refused a cursor that the log has not reached', async () => {
    const last = gate.broker.all('GATE').at(-1)!.sequence;
    const at = (position: Cursor) => gate.ask('GET', `/v1/events?cursor=${formatCursor(position)}`, key);
    for (const position of [{ GATE: last + 1, CATALOG: 0 }, { GATE: 0, CATALOG: 1_000 }, { GATE: Number.MAX_SAFE_INTEGER, CATALOG: 0 }]) {
      const { status, body } = await at(position);
      expect([status, body.code, body.detail]).toEqual([400, 'CURSOR_INVALID', 'The cursor is beyond the end of the log']);
    }
    const reader = await Reader.open(gate.port, `/v1/events?cursor=${formatCursor({ GATE: last, CATALOG: 0 })}`, key);
    expect(reader.status).toBe(200);
    reader.drop();
  });

  it('end when their key is revoked', async () => {
    const { keyId, key: doomed } = (await gate.ask<IssuedKeyView>('POST', '/v1/keys', admin, { body: { principal: 'gone', roles: ['auditor'] } })).body;
    const reader = await Reader.open(gate.port, '/v1/events', doomed);
    await gate.ask('DELETE', `/v1/keys/${keyId}`, admin);
    await reader.until(({ ended }) => ended);
    await plan('a');
    expect(types(reader)).not.toContain('plan.Proposed');
  });

  it('end at shutdown, and so do held answers, with the plan as it is', async () => {
    const reader = await Reader.open(gate.port, '/v1/events', key);
    const held = gate.ask<{ items: { decision: string }[] }>('POST', `/v1/sessions/${session}/plans?wait=60`, key, { body: { items: [{ callId: 'a', provider: 'files', operation: 'read_file', input: {} }] } });
    await reader.until(({ events }) => events.length === 1);
    const began = performance.now();
    await gate.stop();
    expect((await held).body.items[0]!.decision).toBe('pending');
    await reader.until(({ ended }) => ended);
    expect(performance.now() - began).toBeLessThan(LIMITS.shutdownDrainMs);
  });

  it('do not hold a shutdown up, and neither does a connection that was never used', async () => {
    const unused = connect(gate.port, '127.0.0.1');
    await new Promise((resolve) => unused.once('connect', resolve));
    const reader = await Reader.open(gate.port, '/v1/events', key);
    const began = performance.now();
    await gate.stop();
    expect(performance.now() - began).toBeLessThan(LIMITS.shutdownDrainMs);
    await reader.until(({ ended }) => ended);
    unused.destroy();
  });

  it('leave nothing behind when their reader has gone', async () => {
    const before = gate.feed.size;
    const reader = await Reader.open(gate.port, '/v1/events', key);
    await reader.until(() => gate.feed.size > before);
    reader.drop();
    await reader.until(() => gate.feed.size <= before + 1);
    const metrics = await gate.ask('GET', '/metrics');
    expect(metrics.text).toContain('countersign_event_streams 0');
  });

  it('cut off a reader that takes nothing', async () => {
    const stalled = new PassThrough({ highWaterMark: 10 });
    const response = Object.assign(stalled, { writeHead: () => stalled, flushHeaders: () => undefined }) as unknown as ServerResponse;
    const writer = new SseWriter(response, 20);
    expect(await writer.keepAlive()).toBe(true);
    expect(await writer.event('c', 'plan.Proposed', { text: 'x'.repeat(100) })).toBe(false);
    expect(stalled.destroyed).toBe(true);
    expect(await writer.keepAlive()).toBe(false);
  });
});
