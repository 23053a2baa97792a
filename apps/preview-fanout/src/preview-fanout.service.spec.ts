import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker } from '@countersign/broker';
import { planKey, type PlanEvent } from '@countersign/contracts';
import { planFold } from '@countersign/domain-plan';
import { obtainNatsServer, startNats } from '@countersign/embedded';
import { createAggregateStore, NOWHERE } from '@countersign/event-log';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { hostService } from '@countersign/service-host';
import { planFacts } from '@countersign/testkit';
import { definition } from './index.js';

const key = planKey('acme', 's00000000aa-p00000000bb');
const serverFilesystem = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')), 'dist/index.js');

describe('preview-fanout as a service, in its own account, with a real MCP server', () => {
  it('puts the diff of what would be written into the log, and writes nothing', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'fanout-'));
    const files = await realpath(await mkdtemp(join(tmpdir(), 'fanout-files-')));
    const credentials = generateCredentials();
    const server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
    const setUp = await connectSetUp({ urls: [server.url], ...credentials.setup });
    await setUpBroker(setUp, { replicas: 1 });
    await setUp.close();
    const running = await hostService(definition, { broker: { urls: [server.url], ...credentials.services['preview-fanout'] } });
    const planner = await connectService({ urls: [server.url], ...credentials.services.planner }, 'planner');
    try {
      await writeFile(join(files, 'a.txt'), 'before\n');
      const log = new JetStreamEventLog({ connection: planner.connection, apiPrefix: planner.apiPrefix, author: 'planner' });
      await log.append<PlanEvent>(key, NOWHERE, { ...proposalTo(files), meta: { actor: 'service:test', correlationId: 'c1' } });
      const store = createAggregateStore(log, planFold);
      const deadline = performance.now() + 15_000;
      const preview = async () => (await store.get(key)).state.items.get('i1')?.preview;
      while (!(await preview()) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await preview()).toMatchObject({
        fingerprint: expect.stringMatching(/^sha256:/),
        tree: { value: { nodes: [{ type: 'text' }, { type: 'diff', unified: expect.stringContaining('-before\n+after\n') }] } },
      });
      expect(await readdir(files)).toEqual(['a.txt']);
    } finally {
      await running.close();
      await planner.connection.close();
      await server.stop();
      await Promise.all([dir, files].map((folder) => rm(folder, { recursive: true, force: true })));
    }
  });
});

const proposalTo = (files: string): PlanEvent => planFacts.proposed([], {
  providers: { files: { version: 1, digest: 'd', endpoint: { transport: 'mcp-stdio', command: process.execPath, args: [serverFilesystem, files], adapter: 'files' } } },
  operations: { 'files/write_file': planFacts.operation('write_file', { previewable: true }) },
  items: [{ itemId: 'i1', callId: 'c1', operation: 'files/write_file', input: planFacts.sealedInline({ path: join(files, 'a.txt'), content: 'after\n' }) }],
});
