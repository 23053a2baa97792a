import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConsumerInfo } from '@nats-io/jetstream';
import pg from 'pg';
import { migrateAuditStore } from '@countersign/audit-store';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type ServiceConnection } from '@countersign/broker';
import { sessionKey, type AuditRebuildReport, type CommandMap, type CommandName, type ServiceName } from '@countersign/contracts';
import { obtainNatsServer, startNats, startPostgres, type NatsServer, type PostgresServer } from '@countersign/embedded';
import { NOWHERE, type AppendResult } from '@countersign/event-log';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { GateError } from '@countersign/kernel';
import { hostService, type RunningService } from '@countersign/service-host';
import { CommandClient } from '@countersign/transport-jetstream';
import { definition } from '../src/index.js';

const PASSWORDS = { projector: 'projector-of-a-spec', rebuilder: 'rebuilder-of-a-spec', reader: 'reader-of-a-spec!' };

/** A real broker with every account, a real database, and as many audit services as a spec wants. */
export class AuditBench {
  private readonly services: RunningService[] = [];
  private readonly connections: ServiceConnection[] = [];
  private log!: JetStreamEventLog;
  private gateway!: CommandClient;
  private told = 0;

  private constructor(
    private readonly dir: string, private readonly credentials: ReturnType<typeof generateCredentials>,
    public broker: NatsServer, public database: PostgresServer,
  ) {}

  static async start(): Promise<AuditBench> {
    const dir = await mkdtemp(join(tmpdir(), 'audit-app-'));
    const credentials = generateCredentials();
    const [broker, database] = await Promise.all([startBroker(join(dir, 'nats'), credentials), startDatabase(join(dir, 'postgres'))]);
    const bench = new AuditBench(dir, credentials, broker, database);
    await bench.connect();
    return bench;
  }

  /** A second broker in the first one's place, with nothing in it. */
  async emptyBroker(): Promise<void> {
    for (const { connection } of this.connections.splice(0)) await connection.close();
    await this.broker.stop();
    this.broker = await startBroker(join(this.dir, 'nats-2'), this.credentials);
    await this.connect();
  }

  /** A second database in the first one's place, with nothing in it. */
  async emptyDatabase(): Promise<void> {
    await this.database.stop();
    this.database = await startDatabase(join(this.dir, 'postgres-2'));
  }

  async crashDatabase(downMs: number): Promise<void> {
    const port = Number(new URL(this.database.url).port);
    await this.database.kill();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    this.database = await startPostgres({ dir: join(this.dir, 'postgres'), port });
  }

  async audit(): Promise<RunningService> {
    const service = await hostService(definition, {
      broker: { urls: [this.broker.url], ...this.credentials.services.audit }, database: { url: this.database.url, passwords: PASSWORDS },
    }, { logLevel: (process.env['COUNTERSIGN_LOG'] ?? 'silent') as never });
    this.services.push(service);
    return service;
  }

  /** Appends sessions as planner does. @returns sequence of the last one */
  async tell(events: number, tenant = 't1'): Promise<number> {
    let last = 0;
    for (let at = 0; at < events; at += 1) {
      const key = sessionKey(tenant, `sabcdefgh${(this.told += 1)}`);
      const appended: AppendResult = await this.log.append(key, NOWHERE, {
        type: 'session.Opened',
        data: { agent: 'claude', profile: 'default', kind: 'chat', openedBy: 'robot', requestDigest: 'd', at: new Date().toISOString() },
        meta: { actor: 'agent:robot', correlationId: `c${this.told}` },
      });
      if (!appended.appended) throw new Error('not appended');
      last = appended.position.sequence;
    }
    return last;
  }

  async publishAsPlanner(subject: string, body: string): Promise<void> {
    await (await this.as('planner')).jetstream.publish(subject, body);
  }

  /** GATE's consumer, as the broker sees it. */
  async consumer(): Promise<ConsumerInfo> {
    const { manager } = await this.as('audit');
    return manager.consumers.info('GATE', 'audit');
  }

  ask<N extends CommandName>(name: N, query: object = {}, tenant = 't1'): Promise<CommandMap[N][1]> {
    const context = { tenant, principal: 'alice', correlationId: 'c' };
    return this.gateway.call(name, { ...query, context } as never, { timeoutMs: 60_000 });
  }

  /** Begins a rebuild, and asks until it is over. @throws GateError why it failed */
  async rebuilt(): Promise<AuditRebuildReport> {
    const { rebuild } = await this.ask('audit.rebuild');
    for (;;) {
      const { state, error, report, ...status } = await this.ask('audit.rebuild-status');
      if (status.rebuild !== rebuild) throw new Error('another rebuild has begun');
      if (error) throw GateError.fromWire(error);
      if (state === 'finished') return report!;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  rows<Row = Record<string, unknown>>(sql: string): Promise<Row[]> {
    return query<Row>(this.database.url, sql);
  }

  /** Waits until the tables hold the log up to a sequence. */
  async projected(sequence: number, withinMs = 25_000): Promise<void> {
    await eventually(async () => Number((await this.rows<{ sequence: string }>(`SELECT sequence FROM audit.checkpoints WHERE stream = 'GATE'`))[0]!.sequence) >= sequence,
      `GATE projected up to ${sequence}`, withinMs);
  }

  async stop(): Promise<void> {
    for (const service of this.services) await service.close();
    for (const { connection } of this.connections) await connection.close();
    await Promise.all([this.broker.stop(), this.database.stop()]);
    await rm(this.dir, { recursive: true, force: true });
  }

  private async connect(): Promise<void> {
    const { connection, apiPrefix } = await this.as('planner');
    this.log = new JetStreamEventLog({ connection, apiPrefix, author: 'planner', now: () => new Date() });
    this.gateway = new CommandClient((await this.as('gateway')).connection);
  }

  private async as(service: ServiceName): Promise<ServiceConnection> {
    const connection = await connectService({ urls: [this.broker.url], ...this.credentials.services[service] }, service);
    this.connections.push(connection);
    return connection;
  }
}

export async function eventually(holds: () => boolean | Promise<boolean>, what: string, withinMs = 25_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await Promise.resolve(holds()).catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function startBroker(dir: string, credentials: ReturnType<typeof generateCredentials>): Promise<NatsServer> {
  const server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials) });
  const setUp = await connectSetUp({ urls: [server.url], ...credentials.setup });
  await setUpBroker(setUp, { replicas: 1 });
  await setUp.close();
  return server;
}

async function startDatabase(dir: string): Promise<PostgresServer> {
  const server = await startPostgres({ dir });
  await migrateAuditStore({ adminUrl: server.url, passwords: PASSWORDS });
  return server;
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
