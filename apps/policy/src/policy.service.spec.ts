import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type ServiceConnection } from '@countersign/broker';
import { planKey, sessionKey, type PlanEvent, type ServiceName } from '@countersign/contracts';
import { decisionOf, planFold } from '@countersign/domain-plan';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { NOWHERE, createAggregateStore } from '@countersign/event-log';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { hostService, type RunningService } from '@countersign/service-host';
import { planFacts } from '@countersign/testkit';
import { CommandClient } from '@countersign/transport-jetstream';
import { definition } from './index.js';

const SESSION = 's00000000aa';
const meta = { actor: 'service:planner', correlationId: 'r1' };

describe('policy as a service, in its own account', () => {
  let dir: string;
  let server: NatsServer;
  let policy: RunningService;
  let log: JetStreamEventLog;
  let gateway: CommandClient;
  const connections: ServiceConnection[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'policy-'));
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
    policy = await hostService(definition, { broker: { urls: [server.url], ...credentials.services.policy } });
    const planner = await as('planner');
    log = new JetStreamEventLog({ connection: planner.connection, apiPrefix: planner.apiPrefix, author: 'planner' });
    gateway = new CommandClient((await as('gateway')).connection);
    await log.append(sessionKey('acme', SESSION), NOWHERE, {
      type: 'session.Opened', meta,
      data: { agent: 'coder', profile: 'default', kind: 'chat', openedBy: 'agent', requestDigest: 'd', at: planFacts.T0 },
    });
  });

  afterAll(async () => {
    await policy?.close();
    for (const { connection } of connections) await connection.close();
    await server?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** Proposes and waits until nothing is pending. */
  async function judged(letter: string, names: readonly string[]): Promise<string[]> {
    const key = planKey('acme', `${SESSION}-p${letter.repeat(10)}`);
    await log.append<PlanEvent>(key, NOWHERE, { ...planFacts.proposed(names, { proposedAt: new Date().toISOString() }), meta });
    const store = createAggregateStore(log, planFold);
    for (const deadline = performance.now() + 10_000; performance.now() < deadline;) {
      const decisions = [...(await store.get(key)).state.items.values()].map(decisionOf);
      if (decisions.every(({ decision }) => decision !== 'pending')) return decisions.map(({ decision, decidedBy }) => `${decision} ${decidedBy}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('no verdict within 10 s');
  }

  it('judges by the defaults, then by the bundle that was activated before', async () => {
    expect(await judged('a', ['read', 'write'])).toEqual(['allow policy:default', 'ask policy:default']);
    const activated = await gateway.call('policy.activate-bundle', {
      context: { tenant: 'acme', principal: 'ops', correlationId: 'r2' }, at: planFacts.T0, layer: 'rules',
      bundle: { rules: [{ id: 'no-writes', match: { tool_name: 'write' }, action: 'deny' }] },
    });
    expect(activated).toMatchObject({ version: 1, warnings: [] });
    expect(await judged('b', ['read', 'write'])).toEqual(['allow policy:default', 'deny policy:no-writes']);
  });

  it('judges without a preview that does not come', async () => {
    expect(await judged('c', ['edit', 'read'])).toEqual(['ask policy:default', 'allow policy:default']);
  });

  it('refuses a bundle that contradicts itself, naming both rules', async () => {
    await expect(gateway.call('policy.activate-bundle', {
      context: { tenant: 'acme', principal: 'ops', correlationId: 'r2' }, at: planFacts.T0, layer: 'rules',
      bundle: { rules: [{ id: 'a', match: {}, action: 'deny' }, { id: 'b', match: {}, action: 'ask' }] },
    })).rejects.toMatchObject({ code: 'POLICY_CONFLICT', details: { rules: ['a', 'b'] } });
  });
});
