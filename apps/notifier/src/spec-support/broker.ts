import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connectService, connectSetUp, generateCredentials, natsConfiguration, setUpBroker } from '@countersign/broker';
import { planKey, sessionKey, tenantKey, type AggregateKey, type AnyEvent, type Webhook } from '@countersign/contracts';
import { obtainNatsServer, startNats } from '@countersign/embedded';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { hostService, type RunningService } from '@countersign/service-host';
import { planFacts } from '@countersign/testkit';
import { CommandClient, DeadLetterOffice } from '@countersign/transport-jetstream';
import { definition } from '../index.js';
import { T0, webhook } from './facts.js';

const meta = { actor: 'service:planner', correlationId: 'r1' };

/** The notifier on a real broker, in its own account, and what others write there. */
export async function gateOf(outboundKey: string) {
  const dir = await mkdtemp(join(tmpdir(), 'notifier-'));
  const credentials = generateCredentials();
  const server = await startNats({ binary: await obtainNatsServer(), dir, authConf: natsConfiguration(credentials), syncAlways: false });
  const urls = [server.url];
  const admin = await connectSetUp({ urls, ...credentials.setup });
  await setUpBroker(admin, { replicas: 1 });
  const manager: JetStreamManager = await jetstreamManager(admin);
  const connections = await Promise.all((['planner', 'policy', 'gateway'] as const).map((service) => connectService({ urls, ...credentials.services[service] }, service)));
  const [planner, policy] = (['planner', 'policy'] as const).map((author, index) => new JetStreamEventLog({ connection: connections[index]!.connection, apiPrefix: 'LOGAPI', author }));
  const edge = connections[2]!;
  const running: RunningService[] = [];

  const append = async (log: JetStreamEventLog, key: AggregateKey, event: AnyEvent): Promise<void> => { await log.append(key, await log.end(key), { ...event, meta }); };
  const unsettled = async (stream: string): Promise<number> => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(stream, 'notifier');
    return num_pending + num_ack_pending;
  };
  return {
    office: new DeadLetterOffice(edge.manager, new CommandClient(edge.connection)),
    async start(): Promise<RunningService> {
      const notifier = await hostService(definition, { broker: { urls, ...credentials.services.notifier }, outboundKey, publicUrl: 'https://gate.example' }, { logLevel: 'silent' });
      running.push(notifier);
      return notifier;
    },
    async tenant(tenant: string, ...webhooks: readonly Partial<Webhook>[]): Promise<void> {
      await append(planner!, tenantKey(tenant), { type: 'tenant.Registered', data: { name: tenant, localProcesses: true, keys: [], at: T0 } });
      for (const one of webhooks) await append(planner!, tenantKey(tenant), { type: 'tenant.WebhookRegistered', data: { webhook: webhook(one), by: 'ada', at: T0 } });
    },
    /** A plan with one item that is asked. @returns its id */
    async asked(tenant: string, number: number): Promise<string> {
      const id = planId(number);
      await append(planner!, planKey(tenant, id), planFacts.proposed(['write']));
      await append(policy!, planKey(tenant, id), planFacts.evaluated(planFacts.verdict('i1', 'ask')));
      return id;
    },
    plan: (tenant: string, id: string, event: AnyEvent): Promise<void> => append(planner!, planKey(tenant, id), event),
    session: (tenant: string, event: AnyEvent): Promise<void> => append(planner!, sessionKey(tenant, SESSION), event),
    /** Everything was read and put into the outbox. */
    told: (): Promise<void> => until(async () => (await unsettled('GATE')) === 0),
    /** Nothing is under way or waits any more. */
    delivered: (): Promise<void> => until(async () => (await unsettled('GATE')) + (await unsettled('OUTBOX')) === 0),
    deliveries: async (): Promise<number> => (await manager.streams.info('OUTBOX')).state.messages,
    /** Every event of the log comes again. */
    async again(): Promise<void> {
      await manager.consumers.delete('GATE', 'notifier');
      await setUpBroker(admin, { replicas: 1 });
    },
    async stop(): Promise<void> {
      for (const notifier of running) await notifier.close();
      for (const { connection } of connections) await connection.close();
      await admin.close();
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const SESSION = 's00000000aa';
const planId = (number: number): string => `${SESSION}-p${String(number).padStart(10, '0')}`;

/** The broker tells nobody when a consumer is done; it can only be asked. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not come to that within 20 s');
}
