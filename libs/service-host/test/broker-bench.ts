import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type ServiceConnection } from '@countersign/broker';
import type { ServiceName } from '@countersign/contracts';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import type { ServiceConfig } from '../src/index.js';

/** A broker with every account, as `npm start` makes it. */
export class BrokerBench {
  private readonly connections: ServiceConnection[] = [];
  private constructor(readonly server: NatsServer, readonly dir: string, private readonly credentials: ReturnType<typeof generateCredentials>) {}

  static async start(options: { readonly setUp: boolean } = { setUp: true }): Promise<BrokerBench> {
    const dir = await mkdtemp(join(tmpdir(), 'host-'));
    const credentials = generateCredentials();
    const server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
    if (options.setUp) {
      const setUp = await connectSetUp({ urls: [server.url], ...credentials.setup });
      await setUpBroker(setUp, { replicas: 1 });
      await setUp.close();
    }
    return new BrokerBench(server, dir, credentials);
  }

  config(service: ServiceName, more: Partial<ServiceConfig> = {}): ServiceConfig {
    return { broker: { urls: [this.server.url], ...this.credentials.services[service] }, ...more };
  }

  async configFile(service: ServiceName): Promise<string> {
    const path = join(this.dir, `${service}.json`);
    await writeFile(path, JSON.stringify(this.config(service)), { mode: 0o600 });
    return path;
  }

  async as(service: ServiceName): Promise<ServiceConnection> {
    const connection = await connectService(this.config(service).broker, service);
    this.connections.push(connection);
    return connection;
  }

  async stop(): Promise<void> {
    for (const { connection } of this.connections) await connection.close();
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}

export async function eventually(holds: () => boolean | Promise<boolean>, what: string, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
