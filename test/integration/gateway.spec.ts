import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definition as executor } from '@countersign/app-executor';
import { definition as gateway } from '@countersign/app-gateway';
import { definition as planner } from '@countersign/app-planner';
import { definition as policy } from '@countersign/app-policy';
import { definition as previewFanout } from '@countersign/app-preview-fanout';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type BrokerCredentials } from '@countersign/broker';
import { HEADERS, eventSubject, sessionKey } from '@countersign/contracts';
import type { EventView } from '@countersign/contracts/http';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { CountersignClient, type LogEvent } from '@countersign/sdk';
import { hostService, type RunningService, type ServiceConfig } from '@countersign/service-host';
import { headers } from '@nats-io/transport-node';

const OPERATOR_KEY = `cso_${randomBytes(16).toString('hex')}`;
const assertion = generateKeyPairSync('ed25519', { privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } });

/** The edge over a real broker and the real services, audit left out. */
class Stack {
  private constructor(private readonly folder: string, readonly nats: NatsServer, private readonly credentials: BrokerCredentials, private readonly running: Map<string, RunningService>) {}

  static async start(): Promise<Stack> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-gateway-'));
    const credentials = generateCredentials();
    const nats = await startNats({ binary: await obtainNatsServer(), dir: join(folder, 'nats'), authConf: natsConfiguration(credentials), syncAlways: false });
    const setup = await connectSetUp({ urls: [nats.url], ...credentials.setup });
    await setUpBroker(setup, { replicas: 1 });
    await setup.close();
    const stack = new Stack(folder, nats, credentials, new Map());
    for (const definition of [planner, previewFanout, policy, executor, gateway]) await stack.host(definition);
    return stack;
  }

  async host(definition: typeof gateway): Promise<void> {
    const { service } = definition;
    const config: ServiceConfig = {
      broker: { urls: [this.nats.url], ...this.credentials.services[service] },
      ...(service === 'planner' ? { assertionPublicKeys: { spec: assertion.publicKey } } : {}),
      ...(service === 'gateway' ? {
        http: { host: '127.0.0.1', port: 0 }, assertionKey: { keyId: 'spec', privateKey: assertion.privateKey },
        operatorKeyHash: createHash('sha256').update(OPERATOR_KEY).digest('hex'),
      } : {}),
    };
    this.running.set(service, await hostService(definition, config, { logLevel: 'error' }));
  }

  get url(): string {
    return this.running.get('gateway')!.url!;
  }

  async close(service: string): Promise<void> {
    await this.running.get(service)?.close();
    this.running.delete(service);
  }

  /** An event of a type that this build does not know, as a later one may write it. Returns its sequence. */
  async appendFromLater(tenant: string, session: string): Promise<number> {
    const { connection } = await connectService({ urls: [this.nats.url], ...this.credentials.services.planner }, 'planner');
    try {
      const written = headers();
      for (const [name, value] of [[HEADERS.specversion, '1.0'], [HEADERS.type, 'session.Frobnicated'], [HEADERS.version, '1'], [HEADERS.tenant, tenant], [HEADERS.id, 'x']] as const) written.set(name, value);
      const ack = await connection.request(eventSubject(sessionKey(tenant, session), 'planner', 1), '{"inside":"of it"}', { headers: written, timeout: 5_000 });
      return (ack.json() as { seq: number }).seq;
    } finally {
      await connection.close();
    }
  }

  async stop(): Promise<void> {
    for (const service of [...this.running.keys()].reverse()) await this.close(service);
    await this.nats.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  client = (apiKey: string): CountersignClient => new CountersignClient({ url: this.url, apiKey });
}

const READ = { callId: 'read', provider: 'notes', operation: 'echo_read', input: { text: 'hello' } };
const WRITE = { callId: 'write', provider: 'notes', operation: 'write_note', input: { name: 'a', text: 'b' } };

describe('the gateway over the real gate', () => {
  let stack: Stack;
  let admin: string;
  let agent: CountersignClient;
  let approver: CountersignClient;
  let session: string;

  beforeAll(async () => {
    stack = await Stack.start();
    admin = (await stack.client(OPERATOR_KEY).createTenant({ tenantId: 'acme', name: 'Acme', localProcesses: true, roles: ['admin', 'auditor'] })).key.key;
    agent = stack.client((await stack.client(admin).issueKey({ principal: 'bot', roles: ['proposer'] })).key);
    approver = stack.client((await stack.client(admin).issueKey({ principal: 'ops', roles: ['approver'] })).key);
    await stack.client(admin).registerProvider({ name: 'notes', endpoint: { transport: 'fake' } });
    session = (await agent.openSession({ agent: 'spec' })).sessionId;
  }, 120_000);
  afterAll(() => stack?.stop());

  it('allows a read at once, asks for a write with its preview, and applies it once it is approved', async () => {
    const verdicts = await agent.propose(session, { items: [READ, WRITE] }, { wait: 20, until: 'verdict' });
    expect(verdicts.items.map(({ decision }) => decision)).toEqual(['allow', 'ask']);
    expect(verdicts.items[1]!.preview?.nodes.length).toBeGreaterThan(0);
    await approver.decide(verdicts.planId, 'i2', { decision: 'approve', itemDigest: verdicts.items[1]!.itemDigest! });
    const settled = await agent.plan(verdicts.planId, { wait: 20, until: 'settled' });
    expect(settled).toMatchObject({ status: 'settled', items: [{ outcome: 'applied' }, { outcome: 'applied', decidedBy: 'person:ops' }] });
    expect(settled.items.every((item) => item.toolResult?.isError === false)).toBe(true);
    const { events } = await agent.planEvents(verdicts.planId);
    expect(events[0]!.type).toBe('plan.Proposed');
    const asProposed = await agent.plan(verdicts.planId, { at: events[0]!.sequence });
    expect(asProposed.items.map(({ decision }) => decision)).toEqual(['pending', 'pending']);
    expect((await agent.why(verdicts.planId)).waits).toEqual([]);
  });

  it('streams a session without gap or duplicate over reconnects and a restart of the gateway', async () => {
    const own = (await agent.openSession({ agent: 'streamed' })).sessionId;
    const key = (await stack.client(admin).issueKey({ principal: 'reader', roles: ['auditor'] })).key;
    const seen: EventView[] = [];
    let cursor: string | undefined = 'start';
    const read = async (until: number): Promise<void> => {
      const over = new AbortController();
      const deadline = setTimeout(() => over.abort(), 15_000);
      try {
        for await (const event of stack.client(key).events({ session: own, cursor, signal: over.signal })) {
          cursor = event.id;
          seen.push(event.data as EventView);
          if (seen.length >= until) break;
        }
      } finally {
        clearTimeout(deadline);
      }
    };
    await agent.propose(own, { items: [READ] }, { wait: 20, until: 'settled' });
    await read(2);
    const proposing = agent.propose(own, { items: [READ] }, { wait: 20, until: 'settled' });
    await read(4);
    await proposing;
    await stack.close('gateway');
    await stack.host(gateway);
    agent = stack.client((await stack.client(admin).issueKey({ principal: 'bot', roles: ['proposer'] })).key);
    approver = stack.client((await stack.client(admin).issueKey({ principal: 'ops', roles: ['approver'] })).key);
    const last = await agent.propose(own, { items: [READ] }, { wait: 20, until: 'settled' });
    const all = (await agent.planEvents(last.planId)).events;
    while (seen.at(-1)?.sequence !== all.at(-1)!.sequence) await read(seen.length + 1);
    const sequences = seen.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    expect(seen.filter(({ type }) => type === 'plan.Proposed')).toHaveLength(3);
    expect(seen.filter(({ aggregateId }) => aggregateId === last.planId).map(({ sequence }) => sequence)).toEqual(all.map(({ sequence }) => sequence));
  }, 60_000);

  it('says who is waited for when a service is away, and goes on when it is back', async () => {
    await stack.close('policy');
    const { planId } = await agent.propose(session, { items: [READ] }, { wait: 0.3 });
    expect((await agent.why(planId)).waits).toMatchObject([{ waitsFor: 'policy', itemIds: ['i1'] }]);
    const waiting = agent.plan(planId, { wait: 30, until: 'settled' });
    await stack.host(policy);
    expect((await waiting).status).toBe('settled');
  }, 60_000);

  it('answers UNAVAILABLE without planner, and lets nothing happen', async () => {
    await stack.close('planner');
    await expect(agent.propose(session, { items: [READ] })).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    await stack.host(planner);
    expect((await agent.propose(session, { items: [READ] }, { wait: 20, until: 'settled' })).status).toBe('settled');
  }, 60_000);

  it('says which services answer', async () => {
    const ready = await fetch(`${stack.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, {
      ready: true, stopping: false, log: true,
      services: { planner: true, 'preview-fanout': true, policy: true, executor: true, notifier: false, 'run-engine': false, audit: false },
    }]);
    expect((await fetch(`${stack.url}/readyz?need=all`)).status).toBe(503);
  });

  it('refuses a revoked key at once', async () => {
    const issued = await stack.client(admin).issueKey({ principal: 'gone', roles: ['auditor'] });
    await stack.client(issued.key).providers();
    await stack.client(issued.key).providers();
    await stack.client(admin).revokeKey(issued.keyId);
    await expect(stack.client(issued.key).providers()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('shows another tenant nothing', async () => {
    const { planId } = await agent.propose(session, { items: [WRITE] }, { wait: 20 });
    const other = stack.client((await stack.client(OPERATOR_KEY).createTenant({ tenantId: 'other', name: 'Other', roles: ['admin', 'proposer', 'approver', 'auditor'] })).key.key);
    await expect(other.plan(planId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(other.propose(session, { items: [READ] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await other.providers()).providers).toEqual([]);
    expect((await other.deadLetters()).deadLetters).toEqual([]);
  });

  it.each([
    ['an unknown provider', { ...READ, provider: 'nowhere' }, 'PROVIDER_UNKNOWN'],
    ['an unknown operation', { ...READ, operation: 'nothing' }, 'OPERATION_UNKNOWN'],
    ['an input that breaks its schema', { ...READ, input: { text: 7 } }, 'INPUT_INVALID'],
  ])('passes on what is wrong with %s', async (_what, call, code) => {
    await expect(agent.propose(session, { items: [call] })).rejects.toMatchObject({ code });
  });

  it('takes a plan of 1,000 items', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => ({ ...READ, callId: `call-${index}` }));
    const plan = await agent.propose(session, { items }, { wait: 30, until: 'verdict' });
    expect(plan.items).toHaveLength(1_000);
    expect(plan.items.every(({ decision }) => decision === 'allow')).toBe(true);
  }, 60_000);

  it('streams on past an event that it cannot read, whether it was there before or comes meanwhile', async () => {
    const key = (await stack.client(admin).issueKey({ principal: 'reader-2', roles: ['auditor'] })).key;
    const before = await stack.appendFromLater('acme', 's0000000001');
    const { sessionId } = await agent.openSession({ agent: 'between' });
    const seen: LogEvent[] = [];
    const over = new AbortController();
    const deadline = setTimeout(() => over.abort(), 15_000);
    let meanwhile: number | undefined;
    for await (const event of stack.client(key).events({ cursor: 'start', signal: over.signal })) {
      seen.push(event);
      const { sequence, aggregateId } = event.data as EventView;
      if (aggregateId === sessionId) meanwhile ??= await stack.appendFromLater('acme', 's0000000002');
      if (event.event === 'unreadable' && sequence === meanwhile) break;
    }
    clearTimeout(deadline);
    expect(seen.filter(({ event }) => event === 'unreadable').map(({ data }) => data)).toEqual([{ stream: 'GATE', sequence: before }, { stream: 'GATE', sequence: meanwhile }]);
    expect(JSON.stringify(seen)).not.toContain('of it');
  }, 60_000);
});
