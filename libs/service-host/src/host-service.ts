import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import type { NestMicroservice } from '@nestjs/microservices';
import type { INestApplication, INestApplicationContext, INestMicroservice } from '@nestjs/common';
import { decodeStored } from '@countersign/event-log-jetstream';
import { JetStreamStrategy, RethrowFilter, type Decode } from '@countersign/transport-jetstream';
import { buildInfra } from './build-infra.js';
import { logLevel, type LogLevel } from './make-logger.js';
import { nestLogger } from './nest-logger.js';
import type { RunningService, ServiceConfig, ServiceDefinition, ServiceInfra } from './service.js';

export interface HostOptions {
  /** Default: COUNTERSIGN_LOG, else `warn`. */
  readonly logLevel?: LogLevel;
}

/**
 * Starts one service in this process: one Nest application of its own, on one connection of its own. Returns when it
 * serves; whatever it had opened is closed when it cannot.
 * @throws BrokerUnsuitable, GateError UNAVAILABLE, or what the module or the port refuse with
 */
export async function hostService(definition: ServiceDefinition, config: ServiceConfig, options: HostOptions = {}): Promise<RunningService> {
  const infra = await buildInfra(definition.service, config, options.logLevel ?? logLevel(process.env, 'warn'));
  const strategy = strategyOf(definition, infra);
  const { connection } = infra.broker;
  let app: INestApplicationContext | undefined;
  let closing = false;
  const close = once(async () => {
    closing = true;
    await strategy.close(); // first: nothing new arrives, what runs still has all it needs
    await app?.close();
    await connection.close();
  });
  try {
    const url = definition.http
      ? await listenHttp(app = await makeHttp(definition, infra, strategy), infra)
      : await listenWorker(app = await makeWorker(definition, infra, strategy));
    infra.logger.info({ url, consumes: Object.keys(strategy.stats) }, 'ready');
    const lost = connection.closed().then((error) => (closing ? new Promise<never>(() => {}) : error ?? new Error('the broker closed the connection')));
    return { service: definition.service, instance: infra.instance, ...(url === undefined ? {} : { url }), lost, strategyStats: () => strategy.stats, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeWorker(definition: ServiceDefinition, infra: ServiceInfra, strategy: JetStreamStrategy): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(definition.module(infra), { strategy, logger: nestLogger(infra.logger), abortOnError: false });
  app.useGlobalFilters(new RethrowFilter());
  return app;
}

async function listenWorker(app: INestMicroservice): Promise<undefined> {
  await app.listen();
}

/** HTTP and, beside it, the strategy: such a service has its health too, and may consume. */
async function makeHttp(definition: ServiceDefinition, infra: ServiceInfra, strategy: JetStreamStrategy): Promise<INestApplication> {
  const { adapter, configure } = definition.http!;
  const app = await NestFactory.create(definition.module(infra), adapter(infra), { logger: nestLogger(infra.logger), abortOnError: false });
  await configure?.(app, infra);
  // deferred, because a filter can be added only before the handlers are registered; the hooks are the application's to run
  const worker = app.connectMicroservice({ strategy }, { inheritAppConfig: false, deferInitialization: true }) as NestMicroservice;
  worker.useGlobalFilters(new RethrowFilter());
  worker.setIsInitHookCalled(true);
  return app;
}

async function listenHttp(app: INestApplication, { config }: ServiceInfra): Promise<string> {
  if (!config.http) throw new Error('This service listens on HTTP, and its configuration does not say where: http.host, http.port');
  await app.init();
  await app.startAllMicroservices();
  await app.listen(config.http.port, config.http.host);
  return app.getUrl();
}

function strategyOf(definition: ServiceDefinition, infra: ServiceInfra): JetStreamStrategy {
  const { service, broker, instance, logger } = infra;
  return new JetStreamStrategy({
    service, instance, logger, decode, version: VERSION,
    connection: broker.connection,
    apiPrefix: broker.apiPrefix,
    ...(definition.consumes === undefined ? {} : { consumes: definition.consumes }),
    ...(definition.skip === undefined ? {} : { skip: definition.skip(infra) }),
    ...(definition.concurrency === undefined ? {} : { concurrency: definition.concurrency }),
  });
}

const decode: Decode = ({ stream, sequence, subject, data, headers }) =>
  decodeStored({ subject, data, ...(headers ? { headers } : {}), info: { stream, streamSequence: sequence } });

const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= run());
}
