import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { definition as gateway } from '@countersign/app-gateway';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker, type BrokerCredentials } from '@countersign/broker';
import { tenantKey, type ApiKeyRecord, type ServiceName } from '@countersign/contracts';
import { obtainNatsServer, startNats, type NatsServer } from '@countersign/embedded';
import { NOWHERE } from '@countersign/event-log';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { CountersignClient } from '@countersign/sdk';
import { hostService, type RunningService, type ServiceConfig, type ServiceDefinition } from '@countersign/service-host';
import { OnTimer, type TimerFired } from '@countersign/transport-jetstream';

const OPERATOR_KEY = 'cso_operator-of-a-spec';
const SECRET = 'a'.repeat(43);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const keyOf = (tenant: string): string => `csk_${tenant}_k1_${SECRET}`;
const recordOf = (): ApiKeyRecord => ({ keyId: 'k1', secretHash: hashOf(SECRET), principal: 'ops', roles: ['admin', 'auditor'] });

let broken = true;
const fired: string[] = [];

@Controller()
class Timers {
  @OnTimer()
  fired(@Payload() timer: TimerFired): void {
    if (broken) throw new Error('no');
    fired.push(timer.name);
  }
}

class PlannerOfASpec {}
Module({})(PlannerOfASpec);
/** In planner's own account, with planner's own consumer. */
const planner: ServiceDefinition = { service: 'planner', module: () => ({ module: PlannerOfASpec, controllers: [Timers] }) };

/** In the accounts that services really have: what the edge and the service may read of a work queue is a right of its own. */
describe('a timer whose handler fails to the last', () => {
  let folder: string;
  let nats: NatsServer;
  let credentials: BrokerCredentials;
  const running: RunningService[] = [];

  const configOf = (service: ServiceName): ServiceConfig => ({ broker: { urls: [nats.url], ...credentials.services[service] } });
  const client = (apiKey: string): CountersignClient => new CountersignClient({ url: running.find(({ url }) => url !== undefined)!.url!, apiKey });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-timers-'));
    credentials = generateCredentials();
    nats = await startNats({ binary: await obtainNatsServer(), dir: folder, authConf: natsConfiguration(credentials), syncAlways: false });
    const admin = await connectSetUp({ urls: [nats.url], ...credentials.setup });
    await setUpBroker(admin, { replicas: 1 });
    const { privateKey } = generateKeyPairSync('ed25519', { privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } });
    running.push(await hostService(planner, configOf('planner'), { logLevel: 'silent' }), await hostService(gateway, {
      ...configOf('gateway'), http: { host: '127.0.0.1', port: 0 }, assertionKey: { keyId: 'spec', privateKey }, operatorKeyHash: hashOf(OPERATOR_KEY),
    }, { logLevel: 'silent' }));
    // The services have read their bound by now; a spec does not wait for twenty deliveries.
    const manager = await jetstreamManager(admin);
    await manager.consumers.update('TIMER_planner', 'planner', { max_deliver: 2 });
    await admin.close();
    const asPlanner = await connectService({ urls: [nats.url], ...credentials.services.planner }, 'planner');
    const log = new JetStreamEventLog({ connection: asPlanner.connection, apiPrefix: asPlanner.apiPrefix, author: 'planner', now: () => new Date() });
    for (const tenant of ['acme', 'other']) {
      await log.append(tenantKey(tenant), NOWHERE, {
        type: 'tenant.Registered', data: { name: tenant, localProcesses: false, keys: [recordOf()], at: new Date().toISOString() }, meta: { actor: 'service:planner', correlationId: 'spec' },
      });
    }
    await asPlanner.connection.close();
    const setter = await connectService({ urls: [nats.url], ...credentials.services.planner }, 'planner');
    for (const name of ['plan.acme.s12345678-p12345678', 'of-nobody']) await fireNow(setter, name);
    await setter.connection.close();
  }, 60_000);
  afterAll(async () => {
    for (const service of [...running].reverse()) await service.close();
    await nats?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('is seen by its tenant alone, and done when it is retried', async () => {
    const letters = async (tenant: string) => (await client(keyOf(tenant)).deadLetters()).deadLetters;
    await eventually(async () => (await letters('acme')).length === 1, 'its tenant sees it');
    const [letter] = await letters('acme');
    expect(letter).toMatchObject({ service: 'planner', stream: 'TIMER_planner', kind: 'deliveries', deliveries: 2 });
    expect(await letters('other')).toEqual([]);
    await expect(client(keyOf('other')).retryDeadLetter(letter!.stream, letter!.sequence)).rejects.toMatchObject({ code: 'DEAD_LETTER_UNKNOWN' });
    broken = false;
    await expect(client(keyOf('acme')).retryDeadLetter(letter!.stream, letter!.sequence)).resolves.toMatchObject({ services: ['planner'] });
    expect(fired).toEqual(['plan.acme.s12345678-p12345678']);
    expect(await letters('acme')).toEqual([]);
  }, 60_000);

  it('is the operator’s when nobody can say whose it is', async () => {
    const ownerless = async () => (await client(OPERATOR_KEY).ownerlessDeadLetters()).deadLetters;
    await eventually(async () => (await ownerless()).length === 1, 'the operator sees it');
    const [letter] = await ownerless();
    expect(await client(OPERATOR_KEY).retryOwnerlessDeadLetter(letter!.stream, letter!.sequence, 'planner')).toMatchObject({ services: ['planner'], failures: [] });
    expect(fired).toContain('of-nobody');
    expect(await ownerless()).toEqual([]);
  }, 60_000);
});

async function fireNow({ jetstream }: Awaited<ReturnType<typeof connectService>>, name: string): Promise<void> {
  const schedule = headers();
  schedule.set('Nats-Schedule', `@at ${new Date(Date.now() + 50).toISOString()}`);
  schedule.set('Nats-Schedule-Target', `timer.planner.fire.${name}`);
  await jetstream.publish(`timer.planner.set.${name}`, name, { headers: schedule });
}

async function eventually(holds: () => Promise<boolean>, what: string, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
