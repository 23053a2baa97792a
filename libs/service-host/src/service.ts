import type { DynamicModule } from '@nestjs/common';
import type { ServiceName } from '@countersign/contracts';
import type { BlobStore, EventLog, Timers } from '@countersign/event-log';

/** What one service process is told from outside; never logged. In-process it is an object, else a JSON file named by COUNTERSIGN_CONFIG. */
export interface ServiceConfig {
  readonly broker: { readonly urls: readonly string[]; readonly user: string; readonly password: string };
  /** audit only. */
  readonly database?: { readonly url: string };
  /** gateway only. */
  readonly http?: { readonly host: string; readonly port: number };
  /** gateway only: PKCS#8 PEM of the Ed25519 key that signs answers. */
  readonly assertionKey?: { readonly keyId: string; readonly privateKey: string };
  /** planner only: SPKI PEM by key id. */
  readonly assertionPublicKeys?: Readonly<Record<string, string>>;
  /** gateway only: SHA-256 (hex) of the operator's key, which may register tenants and nothing else. */
  readonly operatorKeyHash?: string;
}

/** What every service's module is built from; made once by the host, outside of Nest. */
export interface ServiceInfra {
  readonly service: ServiceName;
  readonly config: ServiceConfig;
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
  readonly module: (infra: ServiceInfra) => DynamicModule;
}
