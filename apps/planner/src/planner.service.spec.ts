import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type ServiceConnection } from '@countersign/broker';
import { planKey, sessionKey, type Command, type CommandContext, type PlanEvent, type Propose, type ServiceName } from '@countersign/contracts';
import { planFold, recordVerdicts, type JudgedItem, type PlanState } from '@countersign/domain-plan';
import { sessionFold, type SessionState } from '@countersign/domain-session';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { createAggregateStore, type AggregateStore } from '@countersign/event-log';
import { JetStreamEventLog, JetStreamTimers } from '@countersign/event-log-jetstream';
import { canonicalJson, digestOf } from '@countersign/kernel';
import { hostService, type RunningService, type ServiceConfig } from '@countersign/service-host';
import { CommandClient } from '@countersign/transport-jetstream';
import { definition } from './index.js';
import { READ, SESSION, WRITE, call, refusalOf } from './test/planner-in-memory.js';

const context = (principal: string): CommandContext => ({ tenant: 'acme', principal, correlationId: 'r1' });
const at = (): string => new Date().toISOString();
const planNo = (letter: string): string => `${SESSION}-p${letter.repeat(24)}`;

describe('planner as a service, in its own account', () => {
  let dir: string;
  let server: NatsServer;
  let planner: RunningService;
  let config: ServiceConfig;
  let privateKey: KeyObject;
  let gateway: CommandClient;
  let plans: AggregateStore<PlanState, PlanEvent>;
  let log: JetStreamEventLog;
  let timers: JetStreamTimers;
  const connections: ServiceConnection[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'planner-'));
    const credentials = generateCredentials();
    server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
    const setUp = await connectSetUp({ urls: [server.url], ...credentials.setup });
    await setUpBroker(setUp, { replicas: 1 });
    await setUp.close();
    const as = async (service: ServiceName): Promise<ServiceConnection> => {
      const connection = await connectService({ urls: [server.url], ...credentials.services[service] }, service);
      connections.push(connection);
      return connection;
    };
    const keys = generateKeyPairSync('ed25519');
    privateKey = keys.privateKey;
    config = {
      broker: { urls: [server.url], ...credentials.services.planner },
      assertionPublicKeys: { k1: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string },
    };
    planner = await hostService(definition, config);
    gateway = new CommandClient((await as('gateway')).connection);
    const policy = await as('policy');
    log = new JetStreamEventLog({ connection: policy.connection, apiPrefix: policy.apiPrefix, author: 'policy' });
    plans = createAggregateStore(log, planFold);
    const beside = await as('planner');
    timers = new JetStreamTimers({ connection: beside.connection, apiPrefix: beside.apiPrefix, service: 'planner' });

    await gateway.call('planner.register-tenant', { context: context('operator'), name: 'Acme', localProcesses: true, keys: [], at: at() });
    await gateway.call('planner.register-provider', { context: context('ops'), name: 'files', endpoint: { transport: 'fake' }, operations: [READ, WRITE], at: at() });
    await gateway.call('planner.open-session', { context: context('agent'), sessionId: SESSION, agent: 'coder', profile: 'default', kind: 'chat', requestDigest: 'd', at: at() });
  });

  afterAll(async () => {
    await planner?.close();
    for (const { connection } of connections) await connection.close();
    await server?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const proposal = (planId: string, change: Partial<Command<Propose>> = {}): Command<Propose> => {
    const calls = [call('c1', 'read_file'), call('c2')];
    return { context: context('agent'), planId, sessionId: SESSION, turnId: 't1', requestDigest: digestOf(calls), calls, at: at(), ...change };
  };
  const stateOf = async (planId: string): Promise<PlanState> => (await plans.fresh(planKey('acme', planId))).state;
  const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
    for (const deadline = performance.now() + 10_000; !(await holds());) {
      if (performance.now() > deadline) throw new Error('not within 10 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const ask = (planId: string, change: Partial<JudgedItem> = {}): Promise<unknown> => plans.transact(planKey('acme', planId), ({ state }) => recordVerdicts(state, {
    planId, verdicts: [{ itemId: 'i1', decision: 'allow', decidedBy: 'policy:default' }, { itemId: 'i2', decision: 'ask', decidedBy: 'policy:default', ...change }],
    bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 2 }, evaluatedAt: at(), engine: 'spec',
  }), { meta: { actor: 'service:policy', correlationId: 'r1' } });

  /** So many different people approve i2 at the same moment. */
  const raced = async (plan: string, people: number) => {
    const { itemDigest } = (await stateOf(plan)).items.get('i2')!.verdict!;
    return Promise.all(Array.from({ length: people }, (_, index) => {
      const principal = `person${index}`;
      const said = { itemId: 'i2', itemDigest, decision: 'approve' as const, roles: ['approver'], scope: 'once' as const, at: at() };
      const claims = { ...said, tenant: 'acme', plan, principal, method: 'api-key' as const };
      const signature = sign(null, Buffer.from(canonicalJson(claims)), privateKey).toString('base64url');
      return refusalOf(gateway.call('planner.answer', { ...said, context: context(principal), planId: plan, assertion: { claims, keyId: 'k1', signature } }));
    }));
  };

  it('takes a proposal once, and refuses what does not fit', async () => {
    const first = await gateway.call('planner.propose', proposal(planNo('a')));
    expect(await gateway.call('planner.propose', proposal(planNo('a')))).toEqual({ sequence: first.sequence, repeated: true });
    expect((await stateOf(planNo('a'))).items.size).toBe(2);
    expect(await refusalOf(gateway.call('planner.propose', proposal(planNo('b'), { calls: [call('c1', 'write_file', { path: 1 })] })))).toMatchObject({
      code: 'INPUT_INVALID', details: { problems: [{ callId: 'c1', pointer: '/path', problem: 'must be string' }], count: 1 },
    });
  });

  it('lets the first of racing answers win, by its signature', async () => {
    const plan = planNo('c');
    await gateway.call('planner.propose', proposal(plan));
    await ask(plan);
    const outcomes = await raced(plan, 20);
    expect(outcomes.filter(({ code }) => code === undefined)).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === 'ALREADY_RESOLVED')).toHaveLength(19);
    expect((await stateOf(plan)).items.get('i2')?.answer?.decision).toBe('approve');
  });

  it('lets one of a hundred racing answers win, over several planners and the log', async () => {
    const second = await hostService(definition, config);
    try {
      const plan = planNo('g');
      await gateway.call('planner.propose', proposal(plan));
      await ask(plan);
      const told = await raced(plan, 100);
      expect(told.filter(({ code }) => code === undefined)).toHaveLength(1);
      const won = (await stateOf(plan)).items.get('i2')!.answer!;
      const refused = told.filter(({ code }) => code !== undefined);
      expect(refused).toHaveLength(99);
      for (const { code, details } of refused) {
        expect([code, details]).toEqual(['ALREADY_RESOLVED', { itemId: 'i2', verdict: { decision: 'allow', decidedBy: `person:${won.principal}` } }]);
      }
    } finally {
      await second.close();
    }
  });

  it('completes a quorum once, over several planners and the log', async () => {
    const second = await hostService(definition, config);
    try {
      const plan = planNo('h');
      await gateway.call('planner.propose', proposal(plan));
      await ask(plan, { terms: { quorum: 3, onTimeout: 'deny', scopes: ['once'] } });
      const told = await raced(plan, 40);
      expect(told.filter(({ code }) => code === undefined)).toHaveLength(3);
      expect(told.filter(({ code }) => code === 'ALREADY_RESOLVED')).toHaveLength(37);
      const { votes, answer } = (await stateOf(plan)).items.get('i2')!;
      expect(new Set([...votes.map(({ principal }) => principal), answer!.principal]).size).toBe(3);
    } finally {
      await second.close();
    }
  });

  it('does what is due when its timer fires', async () => {
    const plan = planNo('d');
    const longAgo = new Date(Date.now() - 3_600_000).toISOString();
    await gateway.call('planner.propose', proposal(plan, { at: longAgo }));
    await timers.set(`plan.acme.${plan}`, new Date());
    await eventually(async () => (await stateOf(plan)).closed !== undefined);
    expect((await stateOf(plan)).closed).toMatchObject({ reason: 'policy_unavailable', by: 'service:planner' });
  });

  it('trips a session by the verdicts that it is shown, and ends it with its next plan', async () => {
    const tripped = `s${'7'.repeat(24)}`;
    const plan = (letter: string): string => `${tripped}-p${letter.repeat(24)}`;
    const deny = (planId: string, decidedBy: string): Promise<unknown> => plans.transact(planKey('acme', planId), ({ state }) => recordVerdicts(state, {
      planId, verdicts: [...state.items.keys()].map((itemId) => ({ itemId, decision: 'deny' as const, decidedBy })),
      bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 2 }, evaluatedAt: at(), engine: 'spec',
    }), { meta: { actor: 'service:policy', correlationId: 'r1' } });
    const sessions = createAggregateStore(log, sessionFold);
    const session = async (): Promise<SessionState> => (await sessions.fresh(sessionKey('acme', tripped))).state;
    await gateway.call('planner.open-session', { context: context('agent'), sessionId: tripped, agent: 'coder', profile: 'default', kind: 'chat', requestDigest: 't', at: at() });
    const calls = Array.from({ length: 5 }, (_, index) => call(`c${index}`, 'write_file', { path: `${index}` }));
    await gateway.call('planner.propose', proposal(plan('a'), { sessionId: tripped, calls, requestDigest: digestOf(calls) }));
    await deny(plan('a'), 'policy:no');
    await eventually(async () => (await session()).limit?.cause === 'circuit_breaker');
    await gateway.call('planner.propose', proposal(plan('b'), { sessionId: tripped }));
    await deny(plan('b'), 'breaker');
    await eventually(async () => (await session()).ended?.reason === 'limit_reached: circuit_breaker');
  });

  it('closes the plans of a session that ends', async () => {
    const plan = planNo('e');
    await gateway.call('planner.propose', proposal(plan));
    await gateway.call('planner.end-session', { context: context('ops'), sessionId: SESSION, reason: 'done', at: at() });
    expect((await stateOf(plan)).closed?.reason).toBe('session_ended');
    expect(await refusalOf(gateway.call('planner.propose', proposal(planNo('f'))))).toMatchObject({ code: 'SESSION_ENDED' });
  });
});
