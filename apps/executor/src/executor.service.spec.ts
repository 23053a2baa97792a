import { mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type ServiceConnection } from '@countersign/broker';
import { itemIdAt, planKey, sessionKey, type AggregateKey, type AnyEvent, type JsonObject, type PlanEvent, type ProviderEndpoint, type ServiceName, type ToolSchema } from '@countersign/contracts';
import { isSettled, outcomeOf, planFold, toolResultOf } from '@countersign/domain-plan';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { createAggregateStore } from '@countersign/event-log';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { snapshotOf } from '@countersign/providers';
import { hostService, type RunningService, type ServiceConfig } from '@countersign/service-host';
import { planFacts } from '@countersign/testkit';
import { CommandClient } from '@countersign/transport-jetstream';
import { definition } from './index.js';

const TENANT = 'acme';
const SESSION = 's00000000aa';
const key = planKey(TENANT, `${SESSION}-p00000000bb`);
const meta = { actor: 'service:test', correlationId: 'c1' };
const serverFilesystem = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')), 'dist/index.js');

describe('the executor as a service, in its own account, with a real MCP server', () => {
  let dir: string;
  let files: string;
  let server: NatsServer;
  let running: RunningService;
  let configOf: (service: ServiceName) => ServiceConfig;
  const connections: ServiceConnection[] = [];

  beforeEach(async () => {
    dir = await realpath(await mkdtemp(join(tmpdir(), 'executor-')));
    files = await realpath(await mkdtemp(join(tmpdir(), 'executor-files-')));
    const credentials = generateCredentials();
    server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
    const setUp = await connectSetUp({ urls: [server.url], ...credentials.setup });
    await setUpBroker(setUp, { replicas: 1 });
    await setUp.close();
    configOf = (service) => ({ broker: { urls: [server.url], ...credentials.services[service] } });
    running = await hostService(definition, configOf('executor'));
  });
  afterEach(async () => {
    await running.close();
    await Promise.all(connections.splice(0).map(({ connection }) => connection.close()));
    await server.stop();
    await Promise.all([dir, files].map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const as = async (service: ServiceName): Promise<ServiceConnection> => {
    const connection = await connectService(configOf(service).broker, service);
    connections.push(connection);
    return connection;
  };
  const append = async (author: ServiceName, to: AggregateKey, event: AnyEvent): Promise<void> => {
    const { connection, apiPrefix } = await as(author);
    const log = new JetStreamEventLog({ connection, apiPrefix, author });
    expect(await log.append(to, await log.end(to), { ...event, meta })).toMatchObject({ appended: true });
  };

  it('describes the server, applies what is allowed once, and leaves the rest of the disk alone', async () => {
    const endpoint: ProviderEndpoint = { transport: 'mcp-stdio', command: process.execPath, args: [serverFilesystem, files], adapter: 'files' };
    const gateway = await as('gateway');
    const { operations } = await new CommandClient(gateway.connection)
      .call('executor.describe-provider', { endpoint, context: { tenant: TENANT, principal: 'p', correlationId: 'c1' } }, { timeoutMs: 20_000 });
    const schema = (name: string): ToolSchema => operations.find((operation) => operation.name === name)!;
    const call = (operation: string, input: JsonObject) => ({ operation: `files/${operation}`, input: planFacts.sealedInline(input) });
    await writeFile(join(files, 'a.txt'), 'before\n');
    await append('planner', sessionKey(TENANT, SESSION), {
      type: 'session.Opened', data: { agent: 'a', profile: 'default', kind: 'chat', openedBy: 'p', requestDigest: 'd', at: planFacts.T0 },
    });
    await append('planner', key, planFacts.proposed([], {
      providers: { files: { version: 1, digest: 'd', endpoint } },
      operations: Object.fromEntries(['read_text_file', 'write_file'].map((name) => [`files/${name}`, snapshotOf('files', schema(name))])),
      items: [
        call('read_text_file', { path: join(files, 'a.txt') }),
        call('write_file', { path: join(files, 'a.txt'), content: 'after\n' }),
        call('write_file', { path: join(files, 'denied.txt'), content: 'never\n' }),
        call('write_file', { path: join(files, '..', 'outside.txt'), content: 'never\n' }),
      ].map((item, index) => ({ ...item, itemId: itemIdAt(index), callId: `c${index + 1}` })),
    }));
    const evaluated = planFacts.evaluated(...(['allow', 'allow', 'deny', 'allow'] as const).map((decision, index) => planFacts.verdict(itemIdAt(index), decision)));
    await append('policy', key, { ...evaluated, data: { ...evaluated.data, evaluatedAt: new Date().toISOString() } } as PlanEvent);

    const { connection, apiPrefix } = await as('policy');
    const log = new JetStreamEventLog({ connection, apiPrefix, author: 'policy' });
    const store = createAggregateStore(log, planFold);
    const deadline = performance.now() + 15_000;
    while (!isSettled((await store.get(key)).state) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    const { state } = await store.fresh(key);
    expect([...state.items.values()].map(outcomeOf)).toEqual(['applied', 'applied', 'denied', 'failed']);
    // one start for both writes; what ended together stands in one event, and each item in exactly one
    const { events } = await log.load<PlanEvent>(key);
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ApplyStarted']);
    expect(events[2]!.data).toMatchObject({ attempts: [{ itemId: 'i2', attempt: 1 }, { itemId: 'i4', attempt: 1 }] });
    expect(new Set(events.slice(3).map(({ type }) => type))).toEqual(new Set(['plan.Outcomes']));
    expect(events.flatMap((event) => (event.type === 'plan.Outcomes' ? event.data.outcomes.map(({ itemId }) => itemId) : [])).sort()).toEqual(['i1', 'i2', 'i4']);
    expect(state.items.get('i4')!.outcome!.error).toMatchObject({ category: 'permission_denied' });
    expect(toolResultOf(state.items.get('i3')!)).toMatchObject({ isError: true, text: expect.stringContaining('denied') });
    expect(await readFile(join(files, 'a.txt'), 'utf8')).toBe('after\n');
    expect(await readdir(files)).toEqual(['a.txt']);
  });
});
