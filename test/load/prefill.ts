import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectSetUp, type BrokerCredentials } from '@countersign/broker';
import { sessionIdFrom, sessionKey, type SessionEvent } from '@countersign/contracts';
import { encodeEvent, type EncodedEvent } from '@countersign/event-log';
import { sha256 } from '@countersign/kernel';
import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';

/** How many are under way at once. */
const WINDOW = 4_000;

/**
 * Fills the log with sessions opened and ended, two events each, as planner would have written them. Written with the
 * set-up job's credentials, since nobody else may write so many so fast.
 * @param from the first event, of an even number, and `to` the one after the last: what was written before is written on
 * @returns events a second
 */
export async function prefill(natsUrl: string, stateFolder: string, from: number, to: number): Promise<number> {
  const secrets = JSON.parse(await readFile(join(stateFolder, 'secrets.json'), 'utf8')) as { broker: BrokerCredentials };
  const connection = await connectSetUp({ urls: [natsUrl], ...secrets.broker.setup });
  const js = jetstream(connection);
  const started = performance.now();
  for (let first = from; first < to; first += WINDOW) {
    await Promise.all(Array.from({ length: Math.min(WINDOW, to - first) }, (_, offset) => {
      const { subject, headers: attributes, body } = eventAt(first + offset);
      const set = headers();
      for (const [name, value] of Object.entries(attributes)) set.set(name, value);
      return js.publish(subject, body, { headers: set });
    }));
  }
  await connection.close();
  return ((to - from) * 1_000) / (performance.now() - started);
}

const AT = '2026-01-01T00:00:00.000Z';

function eventAt(index: number): EncodedEvent {
  const session = sessionIdFrom(sha256(`prefill ${Math.floor(index / 2)}`));
  const rev = (index % 2) + 1;
  const event: SessionEvent = rev === 1
    ? { type: 'session.Opened', data: { agent: 'prefill', profile: 'default', kind: 'run', openedBy: 'prefill', requestDigest: sha256('prefill'), at: AT } }
    : { type: 'session.Ended', data: { by: 'prefill', reason: 'the log is as long as it shall be', at: AT } };
  const meta = { actor: 'service:prefill', correlationId: 'prefill' };
  return encodeEvent(sessionKey('prefill', session), 'planner', rev, { ...event, meta }, { id: `prefill-${index}`, time: AT });
}
