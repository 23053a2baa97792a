import type { ServiceName } from '@countersign/contracts';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { BrokerUser } from './credentials.js';
import { API_PREFIX, inboxPrefix } from './grants.js';
import { writeOnceATurn } from './write-once-a-turn.js';

export interface BrokerAddress extends BrokerUser {
  readonly urls: readonly string[];
}

/** A service's way to the broker. */
export interface ServiceConnection {
  readonly connection: NatsConnection;
  /** What API subjects begin with in the service's account. */
  readonly apiPrefix: string;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

const RECONNECT_WAIT_MS = 250;
const TIMEOUT_MS = 10_000;

/** Without end: a broker that is away is waited for, and what needs it answers UNAVAILABLE meanwhile. */
const ALWAYS: NodeConnectionOptions = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: RECONNECT_WAIT_MS,
  reconnectJitter: 100,
  timeout: TIMEOUT_MS,
  // A stack for each request costs half of the client's time.
  noAsyncTraces: true,
};

/**
 * Connects as one service, in its own account. Whoever uses `connection` watches its status for permission errors:
 * a plain publish that is refused says so nowhere else.
 * @throws Error of the client when no server answers or the credentials are refused
 */
export async function connectService(address: BrokerAddress, service: ServiceName): Promise<ServiceConnection> {
  const connection = await open(address, { name: service, inboxPrefix: inboxPrefix(service) });
  writeOnceATurn(connection);
  const options = { apiPrefix: API_PREFIX, checkAPI: false };
  return { connection, apiPrefix: API_PREFIX, jetstream: jetstream(connection, options), manager: await jetstreamManager(connection, options) };
}

/** Connects as the set-up job, in the account that holds the streams. Nothing that serves requests may do this. */
export const connectSetUp = (address: BrokerAddress): Promise<NatsConnection> => open(address, { name: 'setup' });

const open = ({ urls, user, password }: BrokerAddress, options: NodeConnectionOptions): Promise<NatsConnection> =>
  connect({ ...ALWAYS, ...options, servers: [...urls], user, pass: password });
