import type { CommandContext, CommandMap, CommandName, DeadLetter, LogStream, ServiceName, StoredEvent, TenantId } from '@countersign/contracts';
import type { BlobStore, EventLog } from '@countersign/event-log';
import type { ServiceConfig, ServiceLogger } from '@countersign/service-host';
import type { TenantLimits } from './bounds/tenant-bounds.js';
import type { EndpointName } from './settings/endpoint-secrets.js';

/** What the edge needs of the rest of the gate. `adapters/` fits the real parts to it; specs bring parts in memory. */
export interface GatewayParts {
  readonly config: Pick<ServiceConfig, 'operatorKeyHash'> & Required<Pick<ServiceConfig, 'assertionKey'>>;
  /** Read only: the gateway appends nothing. */
  readonly log: EventLog;
  readonly blobs: BlobStore;
  readonly feed: LiveFeed;
  readonly history: History;
  readonly commands: Commands;
  readonly deadLetters: DeadLetters;
  /** Absent: the installation has no key to derive them from. */
  readonly endpointSecret?: (endpoint: EndpointName) => string;
  /** Default: `LIMITS`. */
  readonly limits?: TenantLimits;
  readonly logger: ServiceLogger;
  readonly now: () => Date;
}

export interface Commands {
  /** @throws GateError what the service refused with; UNAVAILABLE when it is not there, TIMEOUT when it did not answer */
  call<N extends CommandName>(name: N, payload: CommandMap[N][0], context: CommandContext, options?: { readonly timeoutMs?: number }): Promise<CommandMap[N][1]>;
}

export interface LiveListener {
  /** In order within a stream; one may come twice. Must return soon and not throw. */
  event(event: StoredEvent): void;
  /** Events may have been lost, or one cannot be read: look into the log. Said before anything that came after the loss. */
  missed(): void;
}

/** What is appended, as it is appended; one subscription to the broker a process. */
export interface LiveFeed {
  /** @param filter as `aggregateFilter`, `sessionFilter` and `tenantFilter` build it. Returns the way out. */
  listen(filter: string, listener: LiveListener): () => void;
}

/** The log in order, for whoever has to catch up. */
export interface History {
  /** Every event after a position whose subject matches the filter, oldest first, up to the leader's last at the time of the call. */
  from(stream: LogStream, filter: string, after: number): AsyncIterable<StoredEvent>;
}

/** A message that a dead letter is about. */
export interface LetterMessage {
  /** Undefined when the message belongs to no tenant that can be read from its subject. */
  readonly tenant?: TenantId;
  /** Absent when it is no event, or one that this build cannot read. */
  readonly event?: StoredEvent;
}

export interface DeadLetters {
  /** Of all tenants; resolved ones are marked, not left out. */
  list(): Promise<readonly DeadLetter[]>;
  /** Undefined when the stream does not hold it any more. */
  message(stream: string, sequence: number): Promise<LetterMessage | undefined>;
  /** @throws GateError DEAD_LETTER_UNKNOWN, ALREADY_RESOLVED, BUSY, and whatever the handler refused with */
  retry(service: ServiceName, stream: string, sequence: number, context: CommandContext): Promise<unknown>;
}
