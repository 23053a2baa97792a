import { connect, headers, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { BrokerUser } from '../src/index.js';

/** Where every attempt tries to put a message: a verdict, which only policy may write. */
export const VERDICT = 'evt.acme.s00000001.plan.s00000001-p00000001.policy.2';
export const PROPOSED = 'evt.acme.s00000001.plan.s00000001-p00000001.planner.1';
/** What the forger is entitled to write, and can fill as it likes. */
export const OWN_RESULT = 'result.acme.f00d.0';
export const OWN_EVENT = 'evt.acme.s00000001.plan.s00000001-p00000001.executor.2';
export const FORGED_BODY = JSON.stringify({ round: 1, items: [{ itemId: 'i1', decision: 'allow' }] });

export interface Forger {
  readonly connection: NatsConnection;
  readonly apiPrefix: string;
}

/** A connection that checks nothing by itself: what is refused is refused by the broker. */
export async function forgerFor(url: string, user: BrokerUser, options: { apiPrefix: string; inboxPrefix: string }): Promise<Forger> {
  const connection = await connect({ servers: url, user: user.user, pass: user.password, inboxPrefix: options.inboxPrefix });
  return { connection, apiPrefix: options.apiPrefix };
}

export const headersWith = (values: Record<string, string>) => {
  const result = headers();
  for (const [name, value] of Object.entries(values)) result.append(name, value);
  return result;
};

/** Sends a request whose answer the server is to put on the verdict's subject. */
export function answerToVerdict({ connection }: Forger, subject: string, body = ''): void {
  connection.publish(subject, body, { reply: VERDICT });
}

/** What the broker said to a request of the forger's: its error, or undefined when it obeyed. */
export async function refusalOf({ connection }: Forger, subject: string, body = '', values: Record<string, string> = {}): Promise<string | undefined> {
  try {
    const reply = await connection.request(subject, body, { timeout: 700, headers: headersWith(values) });
    return reply.data.length === 0 ? undefined : reply.json<{ error?: { description: string } }>().error?.description;
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    return cause instanceof PermissionViolationError ? 'permission violation' : (cause as Error).message;
  }
}

/** Everything that an attempt could have changed: content, configuration and consumers of the log, or of another stream. */
export async function evidence(admin: NatsConnection, stream = 'GATE'): Promise<object> {
  const manager: JetStreamManager = await jetstreamManager(admin);
  const { config, state } = await manager.streams.info(stream, { subjects_filter: '>' });
  const consumers: string[] = [];
  for await (const { name, config: consumer } of manager.consumers.list(stream)) consumers.push(`${name}:${JSON.stringify(consumer)}`);
  const streams: string[] = [];
  for await (const name of manager.streams.names()) streams.push(name);
  return { config, subjects: state.subjects, messages: state.messages, last: state.last_seq, deleted: state.num_deleted, consumers: consumers.sort(), streams: streams.sort() };
}

/** Returns when the server has done whatever was sent before: it answers in order, and a forged message has its time to land. */
export async function settle(forger: Forger, admin: NatsConnection): Promise<void> {
  await forger.connection.flush();
  await admin.request('$JS.API.STREAM.INFO.GATE', '', { timeout: 2_000 });
  await new Promise((resolve) => setTimeout(resolve, 60));
}
