import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { obtainNatsServer, startNats } from '@countersign/embedded';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import {
  answerToVerdict, evidence, FORGED_BODY, forgerFor, OWN_EVENT, OWN_RESULT, PROPOSED, refusalOf, settle, VERDICT, type Forger,
} from '../test/forger.js';
import { generateCredentials } from './credentials.js';
import { setUpBroker } from './set-up.js';

const SCHEDULE = { 'Nats-Schedule': '@at 2020-01-01T00:00:00Z', 'Nats-Schedule-Target': VERDICT };
const IN_THE_LOG = /permission violation/;
const STREAM = { name: 'THEIRS', subjects: ['theirs'], storage: 'memory' };

/** With the executor's credentials: what each attempt sends, and what it is told where there is an answer. */
const refused: readonly [string, RegExp, (forger: Forger) => Promise<string | undefined>][] = [
  ['publishes the verdict', IN_THE_LOG, (forger) => refusalOf(forger, VERDICT, FORGED_BODY)],
  ['publishes it as republished', IN_THE_LOG, (forger) => refusalOf(forger, `live.${VERDICT}`, FORGED_BODY)],
  ['schedules it through a timer of another', IN_THE_LOG, (forger) => refusalOf(forger, 'timer.planner.set.x', FORGED_BODY, SCHEDULE)],
  ['fires a timer of another', IN_THE_LOG, (forger) => refusalOf(forger, 'timer.planner.fire.x', FORGED_BODY)],
  ['schedules it through an event of its own', /schedul/, (forger) => refusalOf(forger, OWN_EVENT, FORGED_BODY, SCHEDULE)],
  ['rolls the log up with an event of its own', /rollup/, (forger) => refusalOf(forger, OWN_EVENT, '{}', { 'Nats-Rollup': 'all' })],
  ['rolls a subject up with an event of its own', /rollup/, (forger) => refusalOf(forger, OWN_EVENT, '{}', { 'Nats-Rollup': 'sub' })],
  ['writes an event that vanishes', /ttl/i, (forger) => refusalOf(forger, OWN_EVENT, '{}', { 'Nats-TTL': '1s' })],
  ['begins an atomic batch', /batch|atomic/, (forger) => refusalOf(forger, OWN_EVENT, '{}', { 'Nats-Batch-Id': 'b', 'Nats-Batch-Sequence': '1', 'Nats-Batch-Commit': '1' })],
  ['commands another service', IN_THE_LOG, (forger) => refusalOf(forger, 'cmd.policy.activate-bundle', '{}')],
  ['takes the dead letters of another', IN_THE_LOG, (forger) => refusalOf(forger, 'dead.policy.retries', '{}')],
  ['acknowledges for another', IN_THE_LOG, (forger) => refusalOf(forger, '$JS.ACK.GATE.policy.1.1.1.1.0', '+TERM')],
  ['pulls for another', IN_THE_LOG, (forger) => refusalOf(forger, `${forger.apiPrefix}.CONSUMER.MSG.NEXT.GATE.policy`, '1')],
  ['writes a body of BLOBS', IN_THE_LOG, (forger) => refusalOf(forger, 'blob.acme.f00d.0', 'x')],
  ...['$JS.API', 'LOGAPI'].flatMap((api): [string, RegExp, (forger: Forger) => Promise<string | undefined>][] => [
    [`creates a stream that republishes, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.STREAM.CREATE.THEIRS`, JSON.stringify({ ...STREAM, republish: { src: 'theirs', dest: VERDICT } }))],
    [`creates a stream with the log as its source, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.STREAM.CREATE.THEIRS`, JSON.stringify({ ...STREAM, sources: [{ name: 'GATE' }] }))],
    [`updates the log, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.STREAM.UPDATE.GATE`, JSON.stringify({ name: 'GATE', subjects: ['evt.>'] }))],
    [`purges the log, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.STREAM.PURGE.GATE`)],
    [`deletes a message, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.STREAM.MSG.DELETE.GATE`, '{"seq":1}')],
    [`deletes the log, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.STREAM.DELETE.GATE`)],
    [`creates a consumer that delivers to the verdict, by ${api}`, IN_THE_LOG, (forger) =>
      refusalOf(forger, `${api}.CONSUMER.CREATE.GATE.theirs`, JSON.stringify({ stream_name: 'GATE', config: { name: 'theirs', deliver_subject: VERDICT } }))],
    [`deletes the consumer of another, by ${api}`, IN_THE_LOG, (forger) => refusalOf(forger, `${api}.CONSUMER.DELETE.GATE.policy`)],
  ]),
];

/** Sent with the verdict as the subject of the answer: each is allowed by itself, so nothing but the accounts stops them. */
const answered: readonly [string, (forger: Forger) => void][] = [
  ['a direct get of a body it wrote', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.DIRECT.GET.RESULTS.${OWN_RESULT}`)],
  ['a direct get of several bodies', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.DIRECT.GET.RESULTS`, JSON.stringify({ multi_last: ['result.>'] }))],
  ['a direct get of an old event', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.DIRECT.GET.GATE.${PROPOSED}`)],
  ['a read from the leader', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.STREAM.MSG.GET.GATE`, '{"seq":1}')],
  ['a look at a stream', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.STREAM.INFO.GATE`)],
  ['a publish, by its acknowledgement', (forger) => answerToVerdict(forger, 'result.acme.f00d.1', FORGED_BODY)],
  ['a look at its consumer', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.CONSUMER.INFO.GATE.executor`)],
  ['a pull of an old event', (forger) => answerToVerdict(forger, `${forger.apiPrefix}.CONSUMER.MSG.NEXT.GATE.executor`, '{"batch":1,"expires":200000000}')],
  ['an acknowledgement', (forger) => answerToVerdict(forger, '$JS.ACK.GATE.executor.1.1.1.1.0', '+ACK')],
  ['a negative acknowledgement', (forger) => answerToVerdict(forger, '$JS.ACK.GATE.executor.1.1.1.1.0', '-NAK')],
];

describe('with the credentials of the executor', () => {
  let broker: BrokerUnderTest;
  let forger: Forger;
  beforeAll(async () => {
    broker = await startBroker();
    const planner = await broker.as('planner');
    await planner.jetstream.publish(PROPOSED, '{}');
    forger = await forgerFor(broker.server.url, broker.credentials.services.executor, { apiPrefix: 'LOGAPI', inboxPrefix: '_INBOX.executor' });
    expect(await refusalOf(forger, OWN_RESULT, FORGED_BODY)).toBeUndefined();
  }, 60_000);
  afterAll(async () => {
    await forger.connection.close();
    await broker.close();
  });

  const unchanged = async (attempt: () => Promise<unknown>) => {
    const before = await evidence(broker.admin);
    await attempt();
    await settle(forger, broker.admin);
    expect(await evidence(broker.admin)).toEqual(before);
    expect(before).toMatchObject({ subjects: { [PROPOSED]: 1 }, messages: 1 });
  };

  it.each(refused)('is refused when it %s, and the log is as before', async (_name, reason, attempt) => {
    await unchanged(async () => expect(await attempt(forger)).toMatch(reason));
  });

  it.each(answered)('cannot have the server write the verdict as the answer to %s', async (_name, attempt) => {
    await unchanged(async () => attempt(forger));
  });

  it.each(['evt.>', 'live.>', 'cmd.policy.>', 'cmd.>', '_INBOX.policy.>', '_R_.>', '>'])('cannot listen to %s', async (subject) => {
    const subscription = forger.connection.subscribe(subject);
    const heard = (async () => { for await (const _ of subscription) return 'heard'; return 'ended'; })();
    await expect(heard).rejects.toThrow(/permissions violation/i);
  });

  it('cannot enter the account of the log or of another service', async () => {
    const { executor } = broker.credentials.services;
    for (const user of ['setup', 'policy']) {
      await expect(connect({ servers: broker.server.url, user, pass: executor.password, reconnect: false })).rejects.toThrow(/authorization/i);
    }
    await expect(connect({ servers: broker.server.url, reconnect: false })).rejects.toThrow(/authorization/i);
  });
});

describe('with the credentials of the executor, were its permissions inside its account forgotten', () => {
  it('the accounts alone still keep every attempt out of the log', async () => {
    const broker = await startBroker({ withoutPermissions: true });
    const forger = await forgerFor(broker.server.url, broker.credentials.services.executor, { apiPrefix: 'LOGAPI', inboxPrefix: '_INBOX.executor' });
    try {
      await (await broker.as('planner')).jetstream.publish(PROPOSED, '{}');
      expect(await refusalOf(forger, OWN_RESULT, FORGED_BODY)).toBeUndefined();
      const before = await evidence(broker.admin);
      for (const [name, , attempt] of refused) expect([name, await attempt(forger)]).not.toEqual([name, undefined]);
      for (const [, attempt] of answered) attempt(forger);
      await settle(forger, broker.admin);
      expect(await evidence(broker.admin)).toEqual(before);
    } finally {
      await forger.connection.close();
      await broker.close();
    }
  }, 90_000);
});

describe('with the credentials of others', () => {
  let broker: BrokerUnderTest;
  beforeAll(async () => { broker = await startBroker(); }, 60_000);
  afterAll(() => broker.close());
  const as = (service: 'planner' | 'gateway' | 'executor') =>
    forgerFor(broker.server.url, broker.credentials.services[service], { apiPrefix: 'LOGAPI', inboxPrefix: `_INBOX.${service}` });

  it('planner cannot schedule the verdict with a timer of its own', async () => {
    const forger = await as('planner');
    const before = await evidence(broker.admin);
    expect(await refusalOf(forger, 'timer.planner.set.x', FORGED_BODY, SCHEDULE)).toMatch(/schedul/);
    await settle(forger, broker.admin);
    expect(await evidence(broker.admin)).toEqual(before);
    await forger.connection.close();
  });

  it('the gateway cannot make policy write it by a command whose answer goes there', async () => {
    const policy = await broker.as('policy');
    let served = 0;
    policy.connection.subscribe('cmd.policy.activate-bundle', { callback: (_error, message) => { served += 1; message.respond(FORGED_BODY); } });
    await policy.connection.flush();
    const forger = await as('gateway');
    const before = await evidence(broker.admin);
    answerToVerdict(forger, 'cmd.policy.activate-bundle', '{}');
    await settle(forger, broker.admin);
    expect(served).toBe(1);
    expect(await evidence(broker.admin)).toEqual(before);
    await forger.connection.close();
  });

  it('a message id used by one does not make the event of another vanish, and policy itself can append the verdict', async () => {
    const forger = await as('executor');
    expect(await refusalOf(forger, OWN_EVENT, '{}', { 'Nats-Msg-Id': 'same' })).toBeUndefined();
    const policy = await broker.as('policy');
    const ack = await policy.jetstream.publish(VERDICT, FORGED_BODY);
    expect(ack).toMatchObject({ stream: 'GATE', duplicate: false });
    expect(await evidence(broker.admin)).toMatchObject({ subjects: { [VERDICT]: 1, [OWN_EVENT]: 1 } });
    await forger.connection.close();
  });
});

describe('the same attempts inside one account', () => {
  it.each([
    ['a direct get of a body it wrote', (forger: Forger) => answerToVerdict(forger, `${forger.apiPrefix}.DIRECT.GET.RESULTS.${OWN_RESULT}`)],
    ['a publish, by its acknowledgement', (forger: Forger) => answerToVerdict(forger, 'result.acme.f00d.1', FORGED_BODY)],
  ])('write the verdict by %s: so the attempts are real, and permissions of users are not enough', async (_name, attempt) => {
    const dir = await mkdtemp(join(tmpdir(), 'one-account-'));
    const { setup, services: { executor } } = generateCredentials();
    const permissions = { publish: { allow: ['result.>', '$JS.API.DIRECT.GET.RESULTS.>'] }, subscribe: { allow: ['_INBOX.executor.>'] } };
    const authConf = `accounts: ${JSON.stringify({ ALL: { jetstream: true, users: [setup, { ...executor, permissions }] } })}`;
    const server = await startNats({ binary: await obtainNatsServer(), dir, authConf, syncAlways: false });
    const admin = await connect({ servers: server.url, user: setup.user, pass: setup.password });
    const forger = await forgerFor(server.url, executor, { apiPrefix: '$JS.API', inboxPrefix: '_INBOX.executor' });
    try {
      await setUpBroker(admin, { replicas: 1 });
      expect(await refusalOf(forger, VERDICT, FORGED_BODY)).toBe('permission violation');
      expect(await refusalOf(forger, OWN_RESULT, FORGED_BODY)).toBeUndefined();
      attempt(forger);
      await settle(forger, admin);
      expect(await evidence(admin)).toMatchObject({ subjects: { [VERDICT]: 1 } });
    } finally {
      await Promise.all([forger.connection.close(), admin.close()]);
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    }
  }, 60_000);
});
