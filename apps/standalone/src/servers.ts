import { join } from 'node:path';
import { migrateAuditStore } from '@countersign/audit-store';
import { connectSetUp, natsConfiguration, setUpBroker } from '@countersign/broker';
import { chooseDatabase, obtainNatsServer, startNats, type Database, type NatsServer } from '@countersign/embedded';
import type { Progress } from './progress.js';
import type { Secrets } from './secrets.js';

/** What the services stand on: a broker with its accounts, streams and consumers, and a migrated database. */
export interface Servers {
  readonly nats: NatsServer;
  readonly database: Database;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly folder: string;
  readonly secrets: Secrets;
  readonly progress: Progress;
  readonly env: NodeJS.ProcessEnv;
  /** False only to measure: then acknowledged does not mean on the disk. */
  readonly syncAlways: boolean;
}

export async function startServers(options: ServerOptions): Promise<Servers> {
  const [broker, base] = await Promise.allSettled([startBroker(options), startDatabase(options)]);
  const stop = async (): Promise<void> => {
    await Promise.all([
      broker.status === 'fulfilled' ? broker.value.stop() : undefined,
      base.status === 'fulfilled' ? base.value.stop() : undefined,
    ]);
  };
  if (broker.status === 'fulfilled' && base.status === 'fulfilled') return { nats: broker.value, database: base.value, stop };
  await stop();
  throw broker.status === 'rejected' ? broker.reason : (base as PromiseRejectedResult).reason;
}

/** What crashed is started again, and said so; what cannot be started is said, and tried no more. */
function revive(name: string, progress: Progress, restart: () => Promise<void>): () => void {
  return () => {
    progress.say(`${name} has ended; it is started again`);
    restart().then(
      () => progress.say(`${name} is back`),
      (error: unknown) => progress.say(`${name} does not start: ${(error as Error).message}`),
    );
  };
}

async function startBroker({ folder, secrets, progress, env, syncAlways }: ServerOptions): Promise<NatsServer> {
  const binary = await progress.step('finding a nats-server', () => obtainNatsServer({ env, log: progress.say }));
  return progress.step('starting NATS, its accounts and streams', async () => {
    const onCrash = revive('nats-server', progress, () => nats.restart());
    const nats: NatsServer = await startNats({ binary, dir: join(folder, 'nats'), authConf: natsConfiguration(secrets.broker), syncAlways, onCrash });
    try {
      const connection = await connectSetUp({ urls: [nats.url], ...secrets.broker.setup });
      try {
        // ours alone, and no service of it runs: what an older version left here is brought up to this one
        await setUpBroker(connection, { replicas: 1, update: true });
      } finally {
        await connection.close();
      }
      return nats;
    } catch (error) {
      await nats.stop();
      throw error;
    }
  });
}

async function startDatabase({ folder, secrets, progress, env }: ServerOptions): Promise<Database> {
  return progress.step('starting PostgreSQL and migrating', async () => {
    const onCrash = revive('PostgreSQL', progress, () => database.restart());
    const database: Database = await chooseDatabase(env, { dir: join(folder, 'postgres'), onCrash });
    try {
      await migrateAuditStore({ adminUrl: database.url, passwords: secrets.database });
      return database;
    } catch (error) {
      await database.stop();
      throw error;
    }
  });
}
