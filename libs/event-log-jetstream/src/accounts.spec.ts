import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aggregateFilter, type ServiceName } from '@countersign/contracts';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type ServiceConnection } from '@countersign/broker';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { NOWHERE } from '@countersign/event-log';
import { closed, newKey } from '@countersign/event-log/contract-suite';
import { sha256 } from '@countersign/kernel';
import { JetStreamBlobStore, JetStreamEventLog, JetStreamTimers, LiveFeed, readFrom } from './index.js';

/** The same with the accounts and streams that services really have: the API under its imported prefix, and nothing more allowed. */
describe('in accounts', () => {
  let dir: string;
  let server: NatsServer;
  const as = {} as Record<ServiceName, ServiceConnection>;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'accounts-'));
    const credentials = generateCredentials();
    server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
    const admin = await connectSetUp({ urls: [server.url], ...credentials.setup });
    await setUpBroker(admin, { replicas: 1 });
    await admin.close();
    for (const service of ['gateway', 'planner', 'executor'] as const) as[service] = await connectService({ urls: [server.url], ...credentials.services[service] }, service);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(Object.values(as).map(({ connection }) => connection.close()));
    await server?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('appends, is told of a conflict, loads, asks the leader, and reads from a cursor', async () => {
    const log = new JetStreamEventLog({ ...as.planner, author: 'planner' });
    const key = newKey();
    const first = await log.append(key, NOWHERE, closed());
    if (!first.appended) throw new Error('nothing stood against it');
    expect(await log.append(key, NOWHERE, closed())).toEqual({ appended: false, conflict: true });
    for (const service of ['gateway', 'executor'] as const) {
      const reader = new JetStreamEventLog({ ...as[service], author: service });
      expect((await reader.load(key)).position).toEqual(first.position);
      expect(await reader.end(key)).toEqual(first.position);
      const read: number[] = [];
      for await (const event of readFrom(as[service], 'GATE', 'evt.>', 0)) read.push(event.sequence);
      expect(read.at(-1)).toBe(first.position.sequence);
    }
  });

  it('cannot append as another author, and says so instead of waiting', async () => {
    const forged = new JetStreamEventLog({ ...as.executor, author: 'planner', answerMs: 20_000, withinMs: 60_000 });
    const startedAt = performance.now();
    await expect(forged.append(newKey(), NOWHERE, closed())).rejects.toThrow(/permission/i);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('stores bodies and sets timers', async () => {
    const bytes = Buffer.alloc(700_000, 7);
    await new JetStreamBlobStore(as.gateway).put('BLOBS', 'acme', sha256(bytes), bytes);
    await new JetStreamBlobStore(as.gateway).put('BLOBS', 'acme', sha256(bytes), bytes);
    expect(sha256(await new JetStreamBlobStore(as.planner).get('BLOBS', 'acme', sha256(bytes)))).toBe(sha256(bytes));
    const timers = new JetStreamTimers({ ...as.planner, service: 'planner' });
    await timers.set('plan.acme.p1', new Date(Date.now() + 60_000));
    await timers.set('plan.acme.p1', new Date(Date.now() + 400));
    const consumer = await as.planner.jetstream.consumers.get('TIMER_planner', 'planner');
    const fired = await consumer.next({ expires: 3_000 });
    expect(fired?.subject).toBe('timer.planner.fire.plan.acme.p1');
    expect(await fired!.ackAck()).toBe(true);
  });

  it('brings what is appended to the live feed', async () => {
    const feed = new LiveFeed({ ...as.gateway, onFault: (fault) => { throw fault; } });
    await feed.start();
    const log = new JetStreamEventLog({ ...as.planner, author: 'planner' });
    const key = newKey();
    const heard = new Promise<number>((resolve, reject) => {
      feed.listen(aggregateFilter(key), { event: ({ rev }) => resolve(rev), missed: () => reject(new Error('missed')) });
    });
    await log.append(key, NOWHERE, closed());
    expect(await heard).toBe(1);
    feed.stop();
  });
});
