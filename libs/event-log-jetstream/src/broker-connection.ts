import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { GateError } from '@countersign/kernel';
import { HeaderBlock } from './header-block.js';

/** How a service reaches JetStream. Across accounts the API is imported under another prefix than `$JS.API`. */
export interface BrokerAccess {
  readonly connection: NatsConnection;
  /** `LOGAPI` in a service's account; default `$JS.API`. */
  readonly apiPrefix?: string;
}

export const apiSubject = (access: BrokerAccess, rest: string): string => `${access.apiPrefix ?? '$JS.API'}.${rest}`;

/** A publisher can put `Nats-*` headers of its own before the server's: only the last one is the server's. */
export const serverHeader = (message: Msg, name: string): string => HeaderBlock.of(message)?.last(name) ?? '';

export const unavailable = (what: string, cause?: unknown): GateError<'UNAVAILABLE'> =>
  new GateError('UNAVAILABLE', cause instanceof Error ? `${what}: ${cause.message}` : what);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
