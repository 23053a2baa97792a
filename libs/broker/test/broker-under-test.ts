import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@countersign/contracts';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { accounts } from '../src/accounts.js';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type BrokerCredentials, type ServiceConnection } from '../src/index.js';

/** A real server with the accounts, streams and consumers of the flow. */
export interface BrokerUnderTest {
  readonly server: NatsServer;
  readonly credentials: BrokerCredentials;
  /** As the set-up user: sees and may do everything in the log's account. */
  readonly admin: NatsConnection;
  as(service: ServiceName): Promise<ServiceConnection>;
  close(): Promise<void>;
}

/** @param options.withoutPermissions leaves only the accounts between the services */
export async function startBroker({ setUp = true, withoutPermissions = false } = {}): Promise<BrokerUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), 'broker-'));
  const credentials = generateCredentials();
  const server = await startNats({ binary: await obtainNatsServer(), dir, authConf: withoutPermissions ? unrestricted(credentials) : natsConfiguration(credentials), syncAlways: false });
  const urls = [server.url];
  const admin = await connectSetUp({ urls, ...credentials.setup });
  if (setUp) await setUpBroker(admin, { replicas: 1 });
  const services: ServiceConnection[] = [];
  return {
    server, credentials, admin,
    async as(service) {
      const connection = await connectService({ urls, ...credentials.services[service] }, service);
      services.push(connection);
      return connection;
    },
    async close() {
      await Promise.all([admin, ...services.map(({ connection }) => connection)].map((connection) => connection.close()));
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function unrestricted(credentials: BrokerCredentials): string {
  const all = Object.entries(accounts(credentials)).map(([name, account]) =>
    [name, { ...account, users: account.users.map(({ user, password }) => ({ user, password })) }]);
  return `accounts: ${JSON.stringify(Object.fromEntries(all))}`;
}
