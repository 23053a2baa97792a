import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@countersign/contracts';
import type { Skip } from './consumer-runner.js';
import type { TransportLogger } from './logger.js';
import type { Decode } from './parse.js';

export interface StrategyOptions {
  /** The service's own; the strategy neither makes nor closes it. */
  readonly connection: NatsConnection;
  readonly service: ServiceName;
  readonly decode: Decode;
  readonly logger: TransportLogger;
  /** Of this process; part of its health. */
  readonly instance: string;
  readonly version: string;
  /** Prefix of the JetStream API as the service's account imports it. Default `LOGAPI`. */
  readonly apiPrefix?: string;
  /** Streams it consumes by the durable that has the service's name. Default: what FLOW says. */
  readonly consumes?: readonly string[];
  /** Messages in work at a time, of each consumer. Default 256. */
  readonly concurrency?: number;
  /** Messages that are nothing to the service, told by their subject before they are read. Default: none. */
  readonly skip?: Skip;
  /** Default `LIMITS.shutdownDrainMs`. */
  readonly drainMs?: number;
}
