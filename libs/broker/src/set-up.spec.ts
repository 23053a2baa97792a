import { jetstreamManager, PersistMode, StorageType, type JetStreamManager } from '@nats-io/jetstream';
import { LIMITS, SERVICES } from '@countersign/contracts';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { setUpAsFirstVersion } from '../test/older-version.js';
import { consumerDefinitions } from './consumer-definitions.js';
import { setUpBroker } from './set-up.js';
import { checkBroker } from './start-checks.js';
import { streamDefinitions } from './stream-definitions.js';

let broker: BrokerUnderTest;
let manager: JetStreamManager;
beforeEach(async () => {
  broker = await startBroker({ setUp: false });
  manager = await jetstreamManager(broker.admin);
}, 60_000);
afterEach(() => broker.close());

const setUp = () => setUpBroker(broker.admin, { replicas: 1 });
const definition = (name: string) => streamDefinitions(1).find((stream) => stream.name === name)!;

describe('setUpBroker', () => {
  it('creates everything once, then nothing', async () => {
    expect((await setUp()).created).toHaveLength(streamDefinitions(1).length + consumerDefinitions().length);
    expect((await setUp()).created).toEqual([]);
  });

  it('creates what is missing and leaves messages alone', async () => {
    await setUp();
    await (await broker.as('planner')).jetstream.publish('evt.acme._.tenant.acme.planner.1', '{}');
    await manager.consumers.delete('GATE', 'policy');
    expect((await setUp()).created).toEqual(['consumer GATE/policy']);
    expect((await manager.streams.info('CATALOG')).state.messages).toBe(1);
  });

  it.each([
    ['deny_purge', { deny_purge: false }],
    ['deny_delete', { deny_delete: false }],
    ['allow_rollup_hdrs', { allow_rollup_hdrs: true, deny_purge: false }],
    ['allow_msg_ttl', { allow_msg_ttl: true }],
    ['allow_atomic', { allow_atomic: true }],
    ['allow_direct', { allow_direct: false }],
    ['republish', { republish: { src: 'evt.>', dest: 'elsewhere.evt.>' } }],
    ['storage', { storage: StorageType.Memory }],
    ['max_age', { max_age: 3_600_000_000_000 }],
    ['max_msgs', { max_msgs: 1_000 }],
    ['subjects', { subjects: ['evt.*.*.plan.>', 'evt.*.*.session.>', 'more.>'] }],
    ['persist_mode', { persist_mode: PersistMode.Async }],
    ['sources', { sources: [{ name: 'OTHER' }] }],
  ])('refuses a log whose %s differs, names it and changes nothing', async (setting, change) => {
    await manager.streams.add({ ...definition('GATE'), ...change });
    const before = (await manager.streams.info('GATE')).config;
    await expect(setUp()).rejects.toThrow(new RegExp(`stream GATE: ${setting} is .*, must be`));
    expect((await manager.streams.info('GATE')).config).toEqual(before);
  });

  it('refuses a log that takes schedules, since the server turns its protection off with them', async () => {
    await manager.streams.add({ ...definition('GATE'), discard: undefined, allow_msg_schedules: true });
    await expect(setUp()).rejects.toThrow(/allow_msg_schedules is true/);
  });

  it('refuses a consumer that differs', async () => {
    await setUp();
    await manager.consumers.update('GATE', 'executor', { max_deliver: LIMITS.maxDeliver + 1 });
    await expect(setUp()).rejects.toThrow(/consumer GATE\/executor: max_deliver is 21, must be 20/);
  });

  it('refuses streams and consumers of others that could write into the log', async () => {
    await setUp();
    await manager.streams.add({ name: 'THEIRS', subjects: ['theirs.>'], republish: { src: 'theirs.>', dest: 'evt.>' } });
    await manager.consumers.add('GATE', { durable_name: 'pusher', deliver_subject: 'evt.x' });
    await expect(setUp()).rejects.toThrow(/consumer GATE\/pusher is not ours and delivers to evt\.x[^]*stream THEIRS is not ours and republishes to evt\.>/);
  });
});

describe('setUpBroker on what an older version set up', () => {
  const FIRST = 'evt.acme.s1.plan.s1-p1.planner.1';
  const update = () => setUpBroker(broker.admin, { replicas: 1, update: true });
  beforeEach(() => setUpAsFirstVersion(manager));

  it('names what differs and how to update it, and changes nothing by itself', async () => {
    await expect(setUp()).rejects.toThrow(/stream CATALOG: subjects is .*, must be .*grant[^]*stream ADVISORIES: subjects[^]*consumer GATE\/preview-fanout: filter_subjects[^]*consumer GATE\/policy: filter_subjects[^]*Stop its services[^]*--update/);
    expect((await manager.streams.info('CATALOG')).config.subjects).not.toContain('evt.*.*.grant.>');
    await expect(checkBroker('policy', await broker.as('policy'))).rejects.toThrow(/policy does not start/);
  });

  it('updates it when it is told to: what is stored stays, what was not acknowledged comes again, and every service starts', async () => {
    const [planner, policy] = [await broker.as('planner'), await broker.as('policy')];
    await planner.jetstream.publish('evt.acme._.tenant.acme.planner.1', '{}');
    await planner.jetstream.publish(FIRST, '{}');
    const pulled = await (await policy.jetstream.consumers.get('GATE', 'policy')).next({ expires: 2_000 });
    expect(pulled!.subject).toBe(FIRST);
    pulled!.nak();

    const { created, updated } = await update();
    expect([...created].sort()).toEqual(['consumer GATE/notifier', 'consumer GATE/planner', 'consumer OUTBOX/notifier', 'stream OUTBOX']);
    expect([...updated].sort()).toEqual(['consumer GATE/policy', 'consumer GATE/preview-fanout', 'stream ADVISORIES', 'stream CATALOG']);
    expect(await update()).toEqual({ created: [], updated: [] });
    expect(await setUp()).toEqual({ created: [], updated: [] });
    for (const service of SERVICES) await expect(checkBroker(service, await broker.as(service))).resolves.toBeUndefined();

    await planner.jetstream.publish('evt.acme.s1.plan.s1-p1.planner.2', '{}');
    const consumer = await policy.jetstream.consumers.get('GATE', 'policy');
    const subjects: string[] = [];
    for (let count = 0; count < 2; count += 1) subjects.push((await consumer.next({ expires: 2_000 }))!.subject);
    expect(subjects.sort()).toEqual([FIRST, 'evt.acme.s1.plan.s1-p1.planner.2']);
    expect((await manager.streams.info('CATALOG')).state.messages).toBe(1);
  });

  it('refuses in spite of it what could lose something, and then changes nothing of what exists', async () => {
    await manager.streams.update('CATALOG', { max_age: 3_600_000_000_000 });
    await expect(update()).rejects.toThrow(/stream CATALOG: max_age is 3600000000000, must be 0[^]*stream CATALOG: subjects[^]*correct what is named/);
    expect((await manager.streams.info('CATALOG')).config.subjects).not.toContain('evt.*.*.grant.>');
    expect((await manager.consumers.info('GATE', 'policy')).config.filter_subjects).toContain('evt.*.*.plan.*.planner.1');
  });

  it('refuses a log that takes in more than it should: somebody may write there', async () => {
    await manager.streams.update('CATALOG', { subjects: ['evt.*.*.tenant.>', 'evt.*.*.provider.>', 'evt.*.*.policy.>', 'more.>'] });
    await expect(update()).rejects.toThrow(/stream CATALOG: subjects is .*more[^]*correct what is named/);
  });
});

describe('checkBroker', () => {
  it('lets every service start on what the set-up job made', async () => {
    await setUp();
    for (const service of SERVICES) await expect(checkBroker(service, await broker.as(service))).resolves.toBeUndefined();
  });

  it('names what is missing, and how to get it', async () => {
    await expect(checkBroker('policy', await broker.as('policy'))).rejects.toThrow(/policy does not start[^]*stream GATE[^]*consumer GATE\/policy[^]*set-up job/);
  });

  it('does not let a service start on a log that was weakened since', async () => {
    await setUp();
    await manager.streams.update('GATE', { max_age: 3_600_000_000_000 });
    await expect(checkBroker('executor', await broker.as('executor'))).rejects.toThrow(/stream GATE: max_age/);
    await expect(checkBroker('planner', await broker.as('planner'))).rejects.toThrow(/stream GATE: max_age/);
  });
});
