import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager, type ConsumerConfig, type JetStreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { Module, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ADVISORY_SUBJECTS, EVENT_VERSIONS, HEADERS, eventSubject, planKey, type EventType, type ServiceName } from '@countersign/contracts';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import type { StrategyOptions, TransportLogger } from '../src/index.js';
import { JetStreamStrategy, RethrowFilter } from '../src/index.js';
import { decode } from './decode.js';

export interface LogLine { readonly level: string; readonly message: string; readonly fields: Record<string, unknown> }

/** A server of its own with the streams of one account, and services that run against it. */
export class Bench {
  readonly lines: LogLine[] = [];
  private readonly apps: INestMicroservice[] = [];
  private readonly connections: NatsConnection[] = [];
  private revision = 0;

  private constructor(readonly server: NatsServer, private readonly dir: string, readonly connection: NatsConnection, readonly manager: JetStreamManager) {}

  static async start(): Promise<Bench> {
    const dir = await mkdtemp(join(tmpdir(), 'transport-'));
    const server = await startNats({ binary: await obtainNatsServer(), dir, syncAlways: false });
    const connection = await connect({ servers: server.url, noAsyncTraces: true });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'GATE', subjects: ['evt.>'], allow_direct: true });
    await manager.streams.add({ name: 'TIMER_planner', subjects: ['timer.planner.>'], retention: 'workqueue', allow_direct: true });
    await manager.streams.add({ name: 'ADVISORIES', subjects: [...ADVISORY_SUBJECTS], allow_direct: true });
    return new Bench(server, dir, connection, manager);
  }

  async stop(): Promise<void> {
    for (const app of this.apps) await app.close();
    for (const connection of [...this.connections, this.connection]) await connection.close();
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  async consumer(stream: string, service: ServiceName, config: Partial<ConsumerConfig> & { ackWaitMs?: number } = {}): Promise<void> {
    const { ackWaitMs = 5_000, ...rest } = config;
    await this.manager.consumers.add(stream, { durable_name: service, ack_policy: 'explicit', ack_wait: ackWaitMs * 1e6, max_deliver: 6, ...rest });
  }

  /** A whole event; `overrides` of headers or body break it. */
  async event(type: EventType, overrides: { headers?: Record<string, string>; body?: string; author?: ServiceName } = {}): Promise<number> {
    this.revision += 1;
    const subject = eventSubject(planKey('t1', 's12345678-p12345678'), overrides.author ?? 'planner', this.revision);
    const all = headers();
    const values = {
      [HEADERS.specversion]: '1.0', [HEADERS.id]: `e${this.revision}`, [HEADERS.type]: type, [HEADERS.version]: String(EVENT_VERSIONS[type]),
      [HEADERS.source]: '/countersign/planner', [HEADERS.time]: '2026-01-01T00:00:00.000Z', [HEADERS.tenant]: 't1',
      [HEADERS.actor]: 'service:planner', [HEADERS.correlationId]: 'c1', ...overrides.headers,
    };
    for (const [name, value] of Object.entries(values)) all.set(name, value);
    return (await jetstream(this.connection).publish(subject, overrides.body ?? JSON.stringify({ number: this.revision }), { headers: all })).seq;
  }

  async service(service: ServiceName, controller: Type<unknown>, options: Partial<StrategyOptions> = {}, connection?: NatsConnection) {
    const own = connection ?? (await this.connect());
    const strategy = new JetStreamStrategy({
      connection: own, service, decode, logger: this.logger, instance: 'bench', version: 'test', apiPrefix: '$JS.API', consumes: ['GATE'], drainMs: 2_000, ...options,
    });
    class ServiceModule {}
    Module({ controllers: [controller] })(ServiceModule);
    const app = await NestFactory.createMicroservice(ServiceModule, { strategy, logger: false });
    app.useGlobalFilters(new RethrowFilter());
    await app.listen();
    this.apps.push(app);
    return { app, strategy, connection: own };
  }

  async connect(): Promise<NatsConnection> {
    const connection = await connect({ servers: this.server.url, noAsyncTraces: true, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    this.connections.push(connection);
    return connection;
  }

  readonly logger: TransportLogger = {
    info: (fields, message) => this.log('info', fields, message),
    warn: (fields, message) => this.log('warn', fields, message),
    error: (fields, message) => this.log('error', fields, message),
  };

  private log(level: string, fields: object, message: string): void {
    this.lines.push({ level, message, fields: fields as Record<string, unknown> });
  }
}

/** Until it holds; fails with what was seen last. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
