import { randomBytes } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { LIMITS, blobSubject } from '@countersign/contracts';
import { seal, unseal } from '@countersign/event-log';
import { sha256 } from '@countersign/kernel';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamBlobStore } from './index.js';

describe('JetStreamBlobStore', () => {
  let broker: BrokerUnderTest;
  let connection: NatsConnection;
  const store = () => new JetStreamBlobStore({ connection });
  beforeAll(async () => {
    broker = await startBroker();
    connection = await broker.connect();
  });
  afterAll(() => broker?.close());

  it.each([[0], [1], [LIMITS.blobPartBytes], [LIMITS.blobPartBytes + 1], [LIMITS.blobBytes]])('gives back %i bytes', async (size) => {
    const bytes = randomBytes(size);
    for (const where of ['BLOBS', 'RESULTS'] as const) {
      await store().put(where, 'acme', sha256(bytes), bytes);
      expect(Buffer.compare(await store().get(where, 'acme', sha256(bytes)), bytes)).toBe(0);
    }
  });

  it('lets writers of the same blob all succeed, and stores it once', async () => {
    const bytes = randomBytes(5 * LIMITS.blobPartBytes);
    const digest = sha256(bytes);
    const before = (await broker.manager.streams.info('BLOBS')).state.messages;
    const stores = await Promise.all([1, 2, 3, 4].map(async () => new JetStreamBlobStore({ connection: await broker.connect() })));
    await Promise.all(stores.map((writer) => writer.put('BLOBS', 'acme', digest, bytes)));
    await stores[0]!.put('BLOBS', 'acme', digest, bytes);
    expect((await broker.manager.streams.info('BLOBS')).state.messages - before).toBe(5);
    expect(sha256(await stores[3]!.get('BLOBS', 'acme', digest))).toBe(digest);
  });

  it('says of a blob that is not there, not whole or another’s that it is missing', async () => {
    const bytes = randomBytes(2 * LIMITS.blobPartBytes);
    const digest = sha256(bytes);
    const missing = { code: 'BLOB_MISSING' };
    await expect(store().get('BLOBS', 'acme', digest)).rejects.toMatchObject(missing);
    await connection.request(blobSubject('BLOBS', 'acme', digest, 1), bytes.subarray(LIMITS.blobPartBytes), { timeout: 2_000 });
    await expect(store().get('BLOBS', 'acme', digest)).rejects.toMatchObject(missing);
    await store().put('BLOBS', 'acme', digest, bytes);
    expect(sha256(await store().get('BLOBS', 'acme', digest))).toBe(digest);
    await expect(store().get('BLOBS', 'other', digest)).rejects.toMatchObject(missing);
  });

  it('does not call a blob stored whose place somebody has filled with something else', async () => {
    const bytes = randomBytes(10);
    const digest = sha256(bytes);
    await connection.request(blobSubject('BLOBS', 'acme', digest, 0), 'something else', { timeout: 2_000 });
    await expect(store().put('BLOBS', 'acme', digest, bytes)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    await expect(store().get('BLOBS', 'acme', digest)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    await expect(store().put('BLOBS', 'acme', sha256('x'), bytes)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  });

  it('carries what is sealed', async () => {
    const value = { text: 'ä'.repeat(700_000) };
    const sealed = await seal(value, { blobs: store(), tenant: 'acme' });
    expect(sealed.value).toBeUndefined();
    expect(await unseal(sealed, { blobs: store(), tenant: 'acme' })).toEqual(value);
  });

  it('is UNAVAILABLE, in time, when the broker does not answer', async () => {
    const impatient = new JetStreamBlobStore({ connection, answerMs: 50, withinMs: 200 });
    await broker.servers[0]!.pause();
    try {
      const bytes = randomBytes(10);
      await expect(impatient.put('BLOBS', 'acme', sha256(bytes), bytes)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(impatient.get('BLOBS', 'acme', sha256(bytes))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      await broker.servers[0]!.resume();
    }
  });
});
