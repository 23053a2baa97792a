import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@countersign/contracts';
import { obtainNatsServer, startNatsCluster, type NatsCluster } from '@countersign/embedded';
import { answerToVerdict, evidence, FORGED_BODY, forgerFor, OWN_RESULT, PROPOSED, refusalOf, settle, VERDICT } from '../test/forger.js';
import { connectService, connectSetUp, type ServiceConnection } from './connect.js';
import { generateCredentials } from './credentials.js';
import { natsConfiguration } from './accounts.js';
import { setUpBroker } from './set-up.js';
import { checkBroker } from './start-checks.js';

describe('on three servers', () => {
  const credentials = generateCredentials();
  const open: NatsConnection[] = [];
  let dir: string;
  let cluster: NatsCluster;
  let admin: NatsConnection;
  /** Each service at a server of its own choice, so that most requests cross from one to another. */
  const as = async (service: ServiceName, server: number): Promise<ServiceConnection> => {
    const broker = await connectService({ urls: [cluster.urls[server]!], ...credentials.services[service] }, service);
    open.push(broker.connection);
    return broker;
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'broker-cluster-'));
    cluster = await startNatsCluster({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
    admin = await connectSetUp({ urls: cluster.urls, ...credentials.setup });
    open.push(admin);
    await setUpBroker(admin, { replicas: 3 });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(open.map((connection) => connection.close()));
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('the set-up job finds its own work as it left it, and services start on it', async () => {
    expect((await setUpBroker(admin, { replicas: 3 })).created).toEqual([]);
    await expect(setUpBroker(admin, { replicas: 1 })).rejects.toThrow(/num_replicas is 3, must be 1/);
    for (const server of [0, 1, 2]) await checkBroker('executor', await as('executor', server));
  }, 60_000);

  it.each([0, 1, 2])('append, load, pull and acknowledge work across accounts from server %i', async (server) => {
    const planner = await as('planner', server);
    const policy = await as('policy', (server + 1) % 3);
    const subject = `evt.acme.s0000000${server}.plan.s0000000${server}-p00000001.planner.1`;
    const { seq } = await planner.jetstream.publish(subject, '{}', { expect: { lastSubjectSequence: 0 } });
    const consumer = await policy.jetstream.consumers.get('GATE', 'policy');
    const message = await consumer.next({ expires: 5_000 });
    expect([message!.seq, await message!.ackAck()]).toEqual([seq, true]);
    expect((await policy.manager.streams.getMessage('GATE', { last_by_subj: subject }))!.seq).toBe(seq);
    const read = async () => {
      try {
        const found = await planner.manager.direct.getMessage('GATE', { last_by_subj: subject });
        return found?.seq;
      } catch {
        return undefined; // a replica may lag behind the acknowledgement
      }
    };
    let found = await read();
    for (const deadline = Date.now() + 5_000; found === undefined && Date.now() < deadline;) found = await read();
    expect(found).toBe(seq);
  }, 30_000);

  it.each([0, 1, 2])('the executor at server %i cannot have any server write a verdict', async (server) => {
    const planner = await as('planner', 0);
    await planner.jetstream.publish(PROPOSED.replace('p00000001', `p0000000${server}`), '{}');
    const forger = await forgerFor(cluster.urls[server]!, credentials.services.executor, { apiPrefix: 'LOGAPI', inboxPrefix: '_INBOX.executor' });
    open.push(forger.connection);
    await refusalOf(forger, OWN_RESULT, FORGED_BODY);
    const before = await evidence(admin);
    expect(await refusalOf(forger, VERDICT, FORGED_BODY)).toBe('permission violation');
    answerToVerdict(forger, `LOGAPI.DIRECT.GET.RESULTS.${OWN_RESULT}`);
    answerToVerdict(forger, `LOGAPI.DIRECT.GET.GATE.${PROPOSED}`);
    answerToVerdict(forger, 'LOGAPI.STREAM.MSG.GET.GATE', '{"seq":1}');
    answerToVerdict(forger, 'LOGAPI.CONSUMER.MSG.NEXT.GATE.executor', '{"batch":1,"expires":300000000}');
    answerToVerdict(forger, `result.acme.f00d.${server + 1}`, FORGED_BODY);
    await settle(forger, admin);
    expect(await evidence(admin)).toEqual(before);
  }, 30_000);
});
