import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { writeOnceATurn } from './write-once-a-turn.js';

describe('writing to the broker', () => {
  let folder: string;
  let nats: NatsServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-writes-'));
    nats = await startNats({ binary: await obtainNatsServer(), dir: folder });
  }, 120_000);
  afterAll(async () => {
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('happens once a turn for all that is published in it, in its order', async () => {
    const connection = await connect({ servers: nats.url });
    expect(writeOnceATurn(connection)).toBe(true);
    const heard: string[] = [];
    connection.subscribe('turn.*', { callback: (_, message) => { heard.push(message.subject); } });
    await connection.flush();
    const writes = countWrites(connection);
    for (const name of ['a', 'b', 'c']) {
      connection.publish(`turn.${name}`);
      await Promise.resolve();
    }
    await nextTurn();
    expect(writes()).toBe(1);
    await connection.flush();
    expect(heard).toEqual(['turn.a', 'turn.b', 'turn.c']);
    await connection.close();
  });

  it('loses nothing of the turn in which the connection is closed', async () => {
    const [sender, receiver] = await Promise.all([connect({ servers: nats.url }), connect({ servers: nats.url })]);
    writeOnceATurn(sender);
    const arrived = new Promise((resolve) => receiver.subscribe('last', { callback: (_, message) => resolve(message.subject) }));
    await receiver.flush();
    sender.publish('last');
    await sender.close();
    expect(await arrived).toBe('last');
    await receiver.close();
  });

  it('is left alone where the client keeps it elsewhere', () => {
    expect(writeOnceATurn({} as NatsConnection)).toBe(false);
  });
});

/** Counts what reaches the socket. */
function countWrites(connection: NatsConnection): () => number {
  const { transport } = (connection as unknown as { protocol: { transport: { send(frame: Uint8Array): void } } }).protocol;
  const send = transport.send.bind(transport);
  let count = 0;
  transport.send = (frame) => {
    count += 1;
    send(frame);
  };
  return () => count;
}
