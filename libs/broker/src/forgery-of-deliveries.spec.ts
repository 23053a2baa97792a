import { SERVICES } from '@countersign/contracts';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { answerToVerdict, evidence, FORGED_BODY, forgerFor, PROPOSED, refusalOf, settle, VERDICT, type Forger } from '../test/forger.js';

const DELIVERY = 'outbox.notifier.acme.ops.GATE.1';
const NO_RIGHT = /permission violation/;
const SCHEDULE = { 'Nats-Schedule': '@at 2020-01-01T00:00:00Z', 'Nats-Schedule-Target': VERDICT };
const FIRST = { 'Nats-Expected-Last-Subject-Sequence': '0' };

const forgerAs = (broker: BrokerUnderTest, service: (typeof SERVICES)[number]): Promise<Forger> =>
  forgerFor(broker.server.url, broker.credentials.services[service], { apiPrefix: 'LOGAPI', inboxPrefix: `_INBOX.${service}` });

/** With the notifier's credentials: it reads the log and writes deliveries, and whoever has it knows nothing that opens more. */
const refused: readonly [string, RegExp, (forger: Forger) => Promise<string | undefined>][] = [
  ['publishes a verdict', NO_RIGHT, (forger) => refusalOf(forger, VERDICT, FORGED_BODY)],
  ['publishes an event in its own name', NO_RIGHT, (forger) => refusalOf(forger, 'evt.acme.s00000001.plan.s00000001-p00000001.notifier.2', '{}')],
  ['registers a webhook of its own', NO_RIGHT, (forger) => refusalOf(forger, 'evt.acme._.tenant.acme.planner.2', '{}')],
  ['commands planner', NO_RIGHT, (forger) => refusalOf(forger, 'cmd.planner.register-webhook', '{}')],
  ['sets a timer', NO_RIGHT, (forger) => refusalOf(forger, 'timer.planner.set.x', FORGED_BODY, SCHEDULE)],
  ['writes a body', NO_RIGHT, (forger) => refusalOf(forger, 'blob.acme.f00d.0', 'x')],
  ['writes a result', NO_RIGHT, (forger) => refusalOf(forger, 'result.acme.f00d.0', 'x')],
  ['writes a delivery in the name of another service', NO_RIGHT, (forger) => refusalOf(forger, 'outbox.policy.acme.ops.GATE.1', '{}')],
  ['writes over a delivery', /maximum messages per subject/, (forger) => refusalOf(forger, DELIVERY, 'another')],
  ['writes a delivery twice', /wrong last sequence|maximum messages per subject/, (forger) => refusalOf(forger, DELIVERY, '{}', FIRST)],
  ['schedules the verdict through a delivery', /schedul/, (forger) => refusalOf(forger, 'outbox.notifier.acme.ops.GATE.2', FORGED_BODY, SCHEDULE)],
  ['rolls the outbox up', /rollup/, (forger) => refusalOf(forger, 'outbox.notifier.acme.ops.GATE.2', '{}', { 'Nats-Rollup': 'all' })],
  ['writes a delivery that vanishes', /ttl/i, (forger) => refusalOf(forger, 'outbox.notifier.acme.ops.GATE.2', '{}', { 'Nats-TTL': '1s' })],
  ['acknowledges for planner', NO_RIGHT, (forger) => refusalOf(forger, '$JS.ACK.GATE.planner.1.1.1.1.0', '+TERM')],
  ['pulls for policy', NO_RIGHT, (forger) => refusalOf(forger, 'LOGAPI.CONSUMER.MSG.NEXT.GATE.policy', '1')],
  ['takes the dead letters of another', NO_RIGHT, (forger) => refusalOf(forger, 'dead.policy.retries', '{}')],
  ...['$JS.API', 'LOGAPI'].flatMap((api): [string, RegExp, (forger: Forger) => Promise<string | undefined>][] => [
    [`purges the outbox, by ${api}`, NO_RIGHT, (forger) => refusalOf(forger, `${api}.STREAM.PURGE.OUTBOX`)],
    [`deletes a delivery, by ${api}`, NO_RIGHT, (forger) => refusalOf(forger, `${api}.STREAM.MSG.DELETE.OUTBOX`, '{"seq":1}')],
    [`has the outbox republished, by ${api}`, NO_RIGHT, (forger) => refusalOf(forger, `${api}.STREAM.UPDATE.OUTBOX`, JSON.stringify({ name: 'OUTBOX', subjects: ['outbox.notifier.>'], republish: { src: 'outbox.>', dest: VERDICT } }))],
    [`has deliveries pushed to the verdict, by ${api}`, NO_RIGHT, (forger) =>
      refusalOf(forger, `${api}.CONSUMER.CREATE.OUTBOX.theirs`, JSON.stringify({ stream_name: 'OUTBOX', config: { name: 'theirs', deliver_subject: VERDICT } }))],
  ]),
];

/** Allowed by themselves; sent with the verdict as the subject of the answer. */
const answered: readonly [string, (forger: Forger) => void][] = [
  ['a read of a delivery it wrote', (forger) => answerToVerdict(forger, 'LOGAPI.STREAM.MSG.GET.OUTBOX', '{"seq":1}')],
  ['a pull of a delivery it wrote', (forger) => answerToVerdict(forger, 'LOGAPI.CONSUMER.MSG.NEXT.OUTBOX.notifier', '{"batch":1,"expires":200000000}')],
  ['a delivery, by its acknowledgement', (forger) => answerToVerdict(forger, 'outbox.notifier.acme.ops.GATE.3', FORGED_BODY)],
  ['a look at its consumer', (forger) => answerToVerdict(forger, 'LOGAPI.CONSUMER.INFO.OUTBOX.notifier')],
  ['an acknowledgement', (forger) => answerToVerdict(forger, '$JS.ACK.OUTBOX.notifier.1.1.1.1.0', '+ACK')],
  ['a direct get of an old event', (forger) => answerToVerdict(forger, `LOGAPI.DIRECT.GET.GATE.${PROPOSED}`)],
];

describe.each([{ withoutPermissions: false }, { withoutPermissions: true }])('with the credentials of the notifier (%p)', ({ withoutPermissions }) => {
  let broker: BrokerUnderTest;
  let forger: Forger;
  beforeAll(async () => {
    broker = await startBroker({ withoutPermissions });
    await (await broker.as('planner')).jetstream.publish(PROPOSED, '{}');
    forger = await forgerAs(broker, 'notifier');
  }, 60_000);
  afterAll(async () => {
    await forger.connection.close();
    await broker.close();
  });

  it('a delivery can be written', async () => {
    expect(await refusalOf(forger, DELIVERY, FORGED_BODY)).toBeUndefined();
    expect(await evidence(broker.admin, 'OUTBOX')).toMatchObject({ subjects: { [DELIVERY]: 1 }, messages: 1 });
  });

  it('every attempt at more is refused, and log and outbox are as before', async () => {
    const before = [await evidence(broker.admin), await evidence(broker.admin, 'OUTBOX')];
    for (const [name, reason, attempt] of refused) {
      const refusal = await attempt(forger);
      if (withoutPermissions && reason === NO_RIGHT) expect([name, refusal]).not.toEqual([name, undefined]);
      else expect([name, refusal]).toEqual([name, expect.stringMatching(reason)]);
    }
    await settle(forger, broker.admin);
    expect([await evidence(broker.admin), await evidence(broker.admin, 'OUTBOX')]).toEqual(before);
  }, 60_000);

  it.each(answered)('the server does not write the verdict as the answer to %s', async (_name, attempt) => {
    const before = await evidence(broker.admin);
    attempt(forger);
    await settle(forger, broker.admin);
    expect(await evidence(broker.admin)).toEqual(before);
  });
});

describe('the outbox', () => {
  let broker: BrokerUnderTest;
  beforeAll(async () => {
    broker = await startBroker();
    await (await broker.as('notifier')).jetstream.publish(DELIVERY, '{}');
  }, 60_000);
  afterAll(() => broker.close());

  it.each(SERVICES.filter((service) => service !== 'notifier'))('takes nothing from %s, gives it no delivery, and is not acknowledged by it', async (service) => {
    const forger = await forgerAs(broker, service);
    const before = await evidence(broker.admin, 'OUTBOX');
    expect(await refusalOf(forger, 'outbox.notifier.acme.ops.GATE.9', '{}')).toMatch(NO_RIGHT);
    expect(await refusalOf(forger, 'LOGAPI.CONSUMER.MSG.NEXT.OUTBOX.notifier', '1')).toMatch(NO_RIGHT);
    expect(await refusalOf(forger, '$JS.ACK.OUTBOX.notifier.1.1.1.1.0', '+TERM')).toMatch(NO_RIGHT);
    // the edge shows its tenant a delivery that became a dead letter
    const read = await refusalOf(forger, 'LOGAPI.STREAM.MSG.GET.OUTBOX', '{"seq":1}');
    if (service === 'gateway') expect(read).toBeUndefined();
    else expect(read).toMatch(NO_RIGHT);
    expect(await evidence(broker.admin, 'OUTBOX')).toEqual(before);
    await forger.connection.close();
  });
});
