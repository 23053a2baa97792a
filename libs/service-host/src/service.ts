import type { DynamicModule, INestApplication } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { ServiceConnection } from '@countersign/broker';
import type { ServiceName } from '@countersign/contracts';
import type { BlobStore, EventLog, Timers } from '@countersign/event-log';

/** What one service process is told from outside; never logged. In-process it is an object, else a JSON file named by COUNTERSIGN_CONFIG. */
export interface ServiceConfig {
  readonly broker: { readonly urls: readonly string[]; readonly user: string; readonly password: string };
  /** audit only: the database's address, and the passwords of the audit's own roles. Never an administrator's. */
  readonly database?: { readonly url: string; readonly passwords: { readonly projector: string; readonly rebuilder: string; readonly reader: string } };
  /** gateway only. */
  readonly http?: { readonly host: string; readonly port: number };
  /** gateway only: PKCS#8 PEM of the Ed25519 key that signs answers. */
  readonly assertionKey?: { readonly keyId: string; readonly privateKey: string };
  /** planner only: SPKI PEM by key id. */
  readonly assertionPublicKeys?: Readonly<Record<string, string>>;
  /** gateway only: SHA-256 (hex) of the operator's key, which may register tenants and nothing else. */
  readonly operatorKeyHash?: string;
  /** gateway, policy, notifier: base64 of 32 bytes, from which the secrets of webhooks and veto subscribers are derived. Another one makes all of them void. */
  readonly outboundKey?: string;
  /** notifier only: where people reach the gateway, for links; without a path's end. */
  readonly publicUrl?: string;
}

/** What every service's module is built from; made once by the host, outside of Nest. */
export interface ServiceInfra {
  readonly service: ServiceName;
  readonly config: ServiceConfig;
  /** The service's own connection, checked at start. The host closes it, after everything else. */
  readonly broker: ServiceConnection;
  readonly log: EventLog;
  readonly blobs: BlobStore;
  readonly timers: Timers;
  readonly logger: ServiceLogger;
  /** Unique to this process; part of leases. */
  readonly instance: string;
  readonly now: () => Date;
}

export interface ServiceLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What an app exports, so that the same module runs alone or beside the others. */
export interface ServiceDefinition {
  readonly service: ServiceName;
  /** Its resources end in `onApplicationShutdown`: by then nothing of the service runs any more. */
  readonly module: (infra: ServiceInfra) => DynamicModule;
  /** Messages in work at a time, of each consumer. Default 256. */
  readonly concurrency?: number;
  /** Which messages are nothing to it, told by their subject before they are read. Default: none. */
  readonly skip?: (infra: ServiceInfra) => (subject: string) => boolean | Promise<boolean>;
  /** Streams that the transport consumes for it. Default: what FLOW says; `[]` where the module takes from its consumers itself. */
  readonly consumes?: readonly string[];
  /** Only of a service with an HTTP surface; `ServiceConfig.http` says where it listens. */
  readonly http?: HttpSurface;
}

export interface HttpSurface {
  /** The server, e.g. `new FastifyAdapter(…)`. */
  readonly adapter: (infra: ServiceInfra) => AbstractHttpAdapter;
  /** Filters, hooks, parsers, documentation: before the application is initialised. */
  readonly configure?: (app: INestApplication, infra: ServiceInfra) => void | Promise<void>;
}

/** A service that serves: it consumes, answers commands and listens. */
export interface RunningService {
  readonly service: ServiceName;
  readonly instance: string;
  /** Of a service with an HTTP surface. */
  readonly url?: string;
  /** Resolves only when the broker has closed the connection for good, which nothing in here can mend. */
  readonly lost: Promise<Error>;
  /** Counters since the start, by stream. */
  readonly strategyStats: () => Readonly<Record<string, { readonly running: number; readonly held: number; readonly handled: number; readonly failed: number }>>;
  /** Drains, then ends what it holds. Idempotent. */
  close(): Promise<void>;
}
