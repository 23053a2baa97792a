import { jetstreamManager, type JsMsg, type StoredMsg } from '@nats-io/jetstream';
import { ADVISORIES_STREAM, AUTHOR_OF, FLOW, SERVICES, STREAM_OF, aggregatesWrittenBy, deadLetterRetrySubject, type ServiceName } from '@countersign/contracts';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { headersWith } from '../test/forger.js';
import type { ServiceConnection } from './connect.js';

const ID = 's00000001-p00000001';
const subject = (author: ServiceName, rev: number, aggregate = 'plan', id = ID) => `evt.acme.s00000001.${aggregate}.${id}.${author}.${rev}`;
const filter = `evt.acme.s00000001.plan.${ID}.>`;

async function directGet(broker: ServiceConnection, stream: string, subjects: string[]): Promise<string[]> {
  const found: StoredMsg[] = [];
  for await (const message of await broker.manager.direct.getLastMessagesFor(stream, { multi_last: subjects })) found.push(message);
  return found.map((message) => message.subject);
}

describe('in its own account', () => {
  let broker: BrokerUnderTest;
  const services = {} as Record<ServiceName, ServiceConnection>;
  beforeAll(async () => {
    broker = await startBroker();
    for (const service of SERVICES) services[service] = await broker.as(service);
  }, 60_000);
  afterAll(() => broker.close());

  it('each author appends to each aggregate it writes, under the expected sequence, and is told of a conflict', async () => {
    const authors = [...new Set(Object.values(AUTHOR_OF))];
    expect(authors).toEqual(expect.arrayContaining(['planner', 'preview-fanout', 'policy', 'executor']));
    for (const author of authors) {
      for (const aggregate of aggregatesWrittenBy(author)) {
        const id = `${aggregate}-of-${author}`;
        const expect0 = { expect: { lastSubjectSequence: 0, lastSubjectSequenceSubject: `evt.acme.s00000001.${aggregate}.${id}.>` } };
        const append = (rev: number) => services[author].jetstream.publish(subject(author, rev, aggregate, id), '{}', expect0);
        expect((await append(1)).stream).toBe(STREAM_OF[aggregate]);
        await expect(append(2)).rejects.toMatchObject({ code: 10071 });
      }
    }
  });

  it('each reader loads an aggregate with one direct get, and asks the leader where it ends', async () => {
    await services.planner.jetstream.publish(subject('planner', 1), '{}');
    await services.policy.jetstream.publish(subject('policy', 2), '{}');
    for (const service of SERVICES.filter((name) => FLOW[name].reads.includes('GATE'))) {
      const { manager } = services[service];
      expect(await directGet(services[service], 'GATE', [filter])).toEqual([subject('planner', 1), subject('policy', 2)]);
      expect((await manager.direct.getMessage('GATE', { last_by_subj: subject('policy', 2) }))!.subject).toBe(subject('policy', 2));
      expect((await manager.streams.getMessage('GATE', { last_by_subj: filter }))!.subject).toBe(subject('policy', 2));
    }
  });

  it('each consumer is shown what it reacts to and nothing else, and its acknowledgement counts', async () => {
    const pulled = async (service: ServiceName) => {
      const consumer = await services[service].jetstream.consumers.get('GATE', service);
      const seen: JsMsg[] = [];
      for await (const message of await consumer.fetch({ max_messages: 50, expires: 1_000 })) {
        seen.push(message);
        if (seen.filter((one) => one.subject.includes(ID)).length === 2 || service === 'preview-fanout') break;
      }
      for (const message of seen) expect(await message.ackAck()).toBe(true);
      expect((await consumer.info()).num_ack_pending).toBeLessThan(50);
      return [...new Set(seen.map((message) => message.subject.split('.')[5]))];
    };
    expect(await pulled('preview-fanout')).toEqual(['planner']);
    expect((await pulled('executor')).sort()).toEqual(['planner', 'policy']);
    const { ack_floor: floor } = await services.executor.manager.consumers.info('GATE', 'executor');
    expect(floor.consumer_seq).toBeGreaterThan(0);
    expect((await pulled('audit')).length).toBeGreaterThan(2);
  });

  it('pushes what is pulled continuously', async () => {
    const consumer = await services.policy.jetstream.consumers.get('GATE', 'policy');
    const got = new Promise<string>((resolve) => {
      void consumer.consume({ max_messages: 10, callback: (message) => { message.ack(); if (message.subject.endsWith('.planner.1')) resolve(message.subject); } });
    });
    expect(await got).toMatch(/planner\.1$/);
  });

  it('bodies are written by those who may, read by those who may, once each', async () => {
    const part = 'blob.acme.0abc.0';
    await services.gateway.jetstream.publish(part, Buffer.alloc(512 * 1024, 1), { expect: { lastSubjectSequence: 0 } });
    await expect(services['preview-fanout'].jetstream.publish(part, 'other')).rejects.toThrow(/maximum messages per subject/);
    await services['preview-fanout'].jetstream.publish('blob.acme.0abc.1', 'rest');
    for (const service of SERVICES.filter((name) => FLOW[name].blobs !== 'none')) {
      expect(await directGet(services[service], 'BLOBS', ['blob.acme.0abc.>'])).toEqual([part, 'blob.acme.0abc.1']);
    }
    await services.executor.jetstream.publish('result.acme.0def.0', 'x');
    for (const service of ['executor', 'gateway', 'audit'] as const) expect(await directGet(services[service], 'RESULTS', ['result.>'])).toHaveLength(1);
    await expect(services.executor.jetstream.publish('blob.acme.0fff.0', 'x')).rejects.toThrow();
    await expect(directGet(services.policy, 'RESULTS', ['result.>'])).rejects.toThrow();
  });

  it('a timer that is set again moves, fires once, and is gone when acknowledged', async () => {
    const set = (name: string, inMs: number) => services.planner.jetstream.publish(`timer.planner.set.${name}`, name, {
      headers: headersWith({ 'Nats-Schedule': `@at ${new Date(Date.now() + inMs).toISOString()}`, 'Nats-Schedule-Target': `timer.planner.fire.${name}` }),
    });
    await set('plan.one', 3_600_000);
    await set('plan.two', 3_600_000);
    await set('plan.one', 50);
    const consumer = await services.planner.jetstream.consumers.get('TIMER_planner', 'planner');
    const fired = await consumer.next({ expires: 5_000 });
    expect(fired!.subject).toBe('timer.planner.fire.plan.one');
    for (const reader of ['planner', 'gateway'] as const) {
      expect((await services[reader].manager.streams.getMessage('TIMER_planner', { seq: fired!.seq }))!.subject).toBe(fired!.subject);
    }
    await expect(services.policy.manager.streams.getMessage('TIMER_planner', { seq: fired!.seq })).rejects.toThrow();
    expect(await fired!.ackAck()).toBe(true);
    const { state } = await (await jetstreamManager(broker.admin)).streams.info('TIMER_planner', { subjects_filter: '>' });
    expect(state.subjects).toEqual({ 'timer.planner.set.plan.two': 1 });
  });

  it('the gateway alone hears the live feed and may command, and each service may answer once', async () => {
    const feed = services.gateway.connection.subscribe('live.>', { max: 1 });
    await services.gateway.connection.flush();
    await services.planner.jetstream.publish(subject('planner', 9, 'session', 's00000001'), '{"live":true}');
    for await (const message of feed) expect([message.subject, message.string()]).toEqual([`live.${subject('planner', 9, 'session', 's00000001')}`, '{"live":true}']);
    for (const service of SERVICES.filter((name) => name !== 'gateway')) {
      const { connection } = services[service];
      connection.subscribe(`cmd.${service}.health`, { queue: service, callback: (_error, message) => { message.respond(service); } });
      await connection.flush();
      expect((await services.gateway.connection.request(`cmd.${service}.health`, '', { timeout: 2_000 })).string()).toBe(service);
    }
    await expect(services.executor.connection.request('cmd.planner.health', '', { timeout: 1_000 })).rejects.toThrow();
  });

  it('what was terminated is told to ADVISORIES, which the gateway reads, beside the retries of its service', async () => {
    await services.policy.jetstream.publish(subject('policy', 77, 'plan', 's00000001-p00000077'), '{}');
    const consumer = await services.executor.jetstream.consumers.get('GATE', 'executor');
    const message = await consumer.next({ expires: 2_000 });
    message!.term('unparsable');
    await services.executor.connection.flush();
    await services.executor.jetstream.publish(deadLetterRetrySubject('executor'), '{}', { expect: { lastSubjectSequence: 0 } });
    const deadline = Date.now() + 5_000;
    let subjects: string[] = [];
    while (subjects.length < 2 && Date.now() < deadline) subjects = await directGet(services.gateway, ADVISORIES_STREAM, ['>']);
    expect(subjects.sort()).toEqual(['$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.GATE.executor', 'dead.executor.retries']);
  });
});
