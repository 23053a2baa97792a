import 'reflect-metadata';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { eventSubject, planKey, type DeadLetter, type LogStream, type NewEvent, type PlanEvent, type Role, type ServiceName } from '@countersign/contracts';
import type { IssuedKeyView, Problem, SessionView, TenantView } from '@countersign/contracts/http';
import { InMemoryBlobStore, InMemoryBroker, InMemoryEventLog, subjectMatches } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { TenantLimits } from '../bounds/tenant-bounds.js';
import { hashOf } from '../auth/api-key.js';
import { configureHttp, makeHttpAdapter, type EdgeTimes } from '../edge/server.js';
import { GatewayModule } from '../gateway.module.js';
import type { DeadLetters, GatewayParts, LetterMessage, LiveFeed, LiveListener } from '../ports.js';
import { MemoryPlanner } from './memory-planner.js';

export const OPERATOR_KEY = 'cso_operator-key-of-this-spec';

export interface Answer<T> {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: T;
  readonly text: string;
}

interface Asking { readonly body?: unknown; readonly raw?: string | Buffer; readonly headers?: Record<string, string> }

/** The whole edge over parts in memory; the other services are what a spec says in their name. */
export class MemoryGate {
  readonly broker = new InMemoryBroker();
  readonly blobs = new InMemoryBlobStore();
  readonly planner = new MemoryPlanner(this.broker, this.blobs);
  readonly feed = new MemoryFeed(this.broker);
  readonly letters: { letter: DeadLetter; message: LetterMessage }[] = [];
  readonly retried: string[] = [];
  /** Services whose handler fails when it is run again. */
  readonly failing = new Map<string, Error>();
  /** Sequences of GATE that a read of the log stumbles over. */
  readonly unreadable = new Set<number>();
  readonly logged: string[] = [];
  readonly publicKey: KeyObject;
  private readonly privateKey: string;
  private app: NestFastifyApplication | undefined;

  constructor(private readonly times?: EdgeTimes, private readonly limits?: TenantLimits) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.publicKey = publicKey;
    this.privateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  }

  get port(): number {
    if (!this.app) throw new Error('start() first');
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    const parts = this.parts();
    this.app = await NestFactory.create<NestFastifyApplication>(
      GatewayModule.register(parts, { start: async () => undefined, stop: () => undefined }), makeHttpAdapter(parts.logger, this.times), { logger: false, abortOnError: false },
    );
    configureHttp(this.app, parts.logger);
    await this.app.listen(0, '127.0.0.1');
    return this;
  }

  async stop(): Promise<void> {
    await this.app?.close();
  }

  /** Over a real socket, and the path as it is given. @param key the whole API key; undefined for none */
  async ask<T = Problem>(method: string, path: string, key?: string, asking: Asking = {}): Promise<Answer<T>> {
    const { body, raw, headers = {} } = asking;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const sent = request({
        method, path, host: '127.0.0.1', port: this.port, agent: false,
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject).on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const json = /json/.test(String(response.headers['content-type'])) && text !== '';
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: (json ? JSON.parse(text) : undefined) as T });
        });
      });
      sent.on('error', reject).end(payload);
    });
  }

  /** A new tenant, and its admin's key. */
  async tenant(tenantId: string, options: { readonly localProcesses?: boolean } = {}): Promise<string> {
    const { body } = await this.ask<TenantView>('POST', '/v1/tenants', OPERATOR_KEY, { body: { tenantId, name: tenantId, ...options } });
    return body.key.key;
  }

  async key(admin: string, principal: string, ...roles: Role[]): Promise<string> {
    return this.keyOf(admin, { principal, roles });
  }

  async keyOf(admin: string, body: { readonly principal: string; readonly roles: readonly Role[]; readonly groups?: readonly string[] }): Promise<string> {
    return (await this.ask<IssuedKeyView>('POST', '/v1/keys', admin, { body })).body.key;
  }

  async session(key: string): Promise<string> {
    return (await this.ask<SessionView>('POST', '/v1/sessions', key, { body: { agent: 'spec' } })).body.sessionId;
  }

  /** Appends a fact in the name of a service. Returns its sequence. */
  async append(author: ServiceName, tenant: string, planId: string, event: PlanEvent): Promise<number> {
    const log = new InMemoryEventLog(author, this.broker);
    const key = planKey(tenant, planId);
    const result = await log.append(key, await log.end(key), { ...event, meta: { actor: `service:${author}`, correlationId: 'spec' } } as NewEvent);
    if (!result.appended) throw new Error('somebody else appended');
    return result.position.sequence;
  }

  private parts(): GatewayParts {
    const log = (fields: object, message: string): void => { this.logged.push(JSON.stringify({ ...fields, message })); };
    return {
      config: { assertionKey: { keyId: 'spec-key', privateKey: this.privateKey }, operatorKeyHash: hashOf(OPERATOR_KEY) },
      log: new InMemoryEventLog('gateway', this.broker),
      blobs: this.blobs,
      feed: this.feed,
      history: { from: (stream, filter, after) => historyOf(this.broker, this.unreadable, stream, filter, after) },
      commands: this.planner,
      deadLetters: this.deadLetters(),
      endpointSecret: ({ tenant, kind, name, version }) => `whsec_${tenant}-${kind}-${name}-${version}`,
      ...(this.limits ? { limits: this.limits } : {}),
      logger: { info: log, warn: log, error: log },
      now: () => new Date(),
    };
  }

  private deadLetters(): DeadLetters {
    return {
      list: async () => this.letters.map(({ letter }) => letter),
      message: async (stream, sequence) => this.letters.find(({ letter }) => letter.stream === stream && letter.sequence === sequence)?.message,
      retry: async (service, stream, sequence) => {
        this.retried.push(`${service} ${stream}:${sequence}`);
        const failure = this.failing.get(service);
        if (failure) throw failure;
      },
    };
  }
}

async function* historyOf(broker: InMemoryBroker, unreadable: ReadonlySet<number>, stream: LogStream, filter: string, after: number) {
  for (const event of broker.all(stream)) {
    const { sequence } = event;
    if (sequence <= after || !subjectMatches(filter, subjectOf(event))) continue;
    if (stream === 'GATE' && unreadable.has(sequence)) throw new GateError('EVENT_UNREADABLE', undefined, { stream, sequence });
    yield event;
  }
}

/** The broker's own tidings by filter; a spec can lose some. */
export class MemoryFeed implements LiveFeed {
  losing = false;
  private readonly listeners = new Set<{ filter: string; listener: LiveListener }>();

  constructor(broker: InMemoryBroker) {
    broker.subscribe((event) => {
      if (this.losing) return;
      for (const { filter, listener } of this.listeners) if (subjectMatches(filter, subjectOf(event))) listener.event(event);
    });
  }

  get size(): number {
    return this.listeners.size;
  }

  listen(filter: string, listener: LiveListener): () => void {
    const entry = { filter, listener };
    this.listeners.add(entry);
    return () => { this.listeners.delete(entry); };
  }

  missed(): void {
    for (const { listener } of this.listeners) listener.missed();
  }
}

const subjectOf = (event: Parameters<LiveListener['event']>[0]): string => eventSubject(event.key, event.author, event.rev);
