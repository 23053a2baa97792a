import { Controller, Get, Module, type OnModuleInit } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { sessionIdFrom, planIdFrom, planKey, LIMITS, type NewEvent, type PlanEvent } from '@countersign/contracts';
import { NOWHERE } from '@countersign/event-log';
import { JetStreamEventLog } from '@countersign/event-log-jetstream';
import { GateError } from '@countersign/kernel';
import { CommandClient, DeadLetterOffice, OnCommand } from '@countersign/transport-jetstream';
import { hostService, type ServiceDefinition } from './index.js';
import { BrokerBench, eventually } from '../test/broker-bench.js';
import { smallPolicy, type Script } from '../test/small-policy.js';

const context = { tenant: 't1', principal: 'p1', correlationId: 'c1' };
const meta = { actor: 'service:planner', correlationId: 'c1' };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a hosted service, each in its own account', () => {
  let bench: BrokerBench;
  beforeEach(async () => { bench = await BrokerBench.start(); });
  afterEach(async () => { await bench.stop(); });

  const propose = async (number: number): Promise<number> => {
    const planner = await bench.as('planner');
    const log = new JetStreamEventLog({ connection: planner.connection, apiPrefix: planner.apiPrefix, author: 'planner' });
    const hex = `${number}`.padStart(24, 'a');
    const event = { type: 'plan.Proposed', data: { items: [] } as never, meta } as NewEvent<PlanEvent>;
    const result = await log.append(planKey('t1', planIdFrom(sessionIdFrom(hex), hex)), NOWHERE, event);
    return result.appended ? result.position.sequence : 0;
  };

  it('consumes, answers commands and health, and releases its resources last', async () => {
    const script: Script = { seen: [], onProposed: async () => undefined };
    const running = await hostService(smallPolicy(script), bench.config('policy'));
    const sequence = await propose(1);
    await eventually(() => running.strategyStats().GATE?.handled === 1, 'handled');
    expect(script.seen).toEqual([{ what: 'plan.Proposed', sequence }]);

    const gateway = await bench.as('gateway');
    const commands = new CommandClient(gateway.connection);
    await expect(commands.call('policy.activate-bundle', { layer: 'rules', bundle: {} as never, at: '', context })).resolves.toEqual({ sequence: 1, warnings: [] });
    await expect(commands.call('executor.health', { context })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await eventually(async () => (await commands.call('policy.health', { context })).consumers[0]?.unacknowledged === 0, 'the acknowledgement has crossed the accounts');
    const health = await commands.call('policy.health', { context });
    expect(health).toMatchObject({ service: 'policy', instance: running.instance, version: '0.1.0', consumers: [{ stream: 'GATE', lag: 0, handled: 1 }] });
    expect(JSON.stringify(health)).not.toContain(bench.config('policy').broker.password);
    await running.close();
    await running.close();
    expect(script.seen.at(-1)).toEqual({ what: 'resources released' });
  });

  it('extends a lease across the accounts for as long as the handler runs', async () => {
    const left: number[] = [];
    const script: Script = {
      seen: [],
      onProposed: async (_, delivery) => {
        await pause(LIMITS.ackWaitMs + 2_000);
        left.push(delivery.leaseLeftMs());
        expect(delivery.signal.aborted).toBe(false);
      },
    };
    const running = await hostService(smallPolicy(script), bench.config('policy'));
    await propose(1);
    await eventually(() => running.strategyStats().GATE?.handled === 1, 'handled', LIMITS.ackWaitMs + 8_000);
    expect(script.seen).toHaveLength(1);
    expect(left[0]).toBeGreaterThan(0);
    await running.close();
  }, 40_000);

  it('lists a dead letter in the gateway’s account and has it retried in the service’s', async () => {
    let deliveries = 0;
    const script: Script = { seen: [], onProposed: async () => { deliveries += 1; } };
    const running = await hostService(smallPolicy(script), bench.config('policy'), { logLevel: 'silent' });
    const gateway = await bench.as('gateway');
    const office = new DeadLetterOffice(gateway.manager, new CommandClient(gateway.connection));
    expect(await office.list()).toEqual([]);
    // an event that nobody can read becomes one at once; waiting for maxDeliver deliveries would take minutes
    const planner = await bench.as('planner');
    const ack = await planner.jetstream.publish('evt.t1.s12345678.plan.s12345678-p12345678.planner.1', 'no event');
    await eventually(async () => (await office.list()).length === 1, 'listed');
    expect(await office.list()).toMatchObject([{ service: 'policy', stream: 'GATE', sequence: ack.seq, kind: 'unparsable', retries: 0 }]);
    await expect(office.retry('policy', 'GATE', ack.seq, context)).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' });
    expect(await office.list()).toMatchObject([{ sequence: ack.seq, retries: 1 }]);
    expect(deliveries).toBe(0);
    await running.close();
  });

  it('serves HTTP beside its health, and gives the port back', async () => {
    let started = 0;
    @Controller()
    class Pages implements OnModuleInit {
      onModuleInit(): void { started += 1; }
      @Get('/hello') hello(): string { return 'good day'; }
      @OnCommand('refuse') refuse(): void { throw new GateError('FORBIDDEN', 'Not this one'); }
    }
    class Surface {}
    Module({ controllers: [Pages] })(Surface);
    const definition: ServiceDefinition = { service: 'gateway', module: () => ({ module: Surface }), http: { adapter: () => new FastifyAdapter() as never } };
    await expect(hostService(definition, bench.config('gateway'))).rejects.toThrow(/http.host, http.port/);
    started = 0;
    const running = await hostService(definition, bench.config('gateway', { http: { host: '127.0.0.1', port: 0 } }));
    expect(await (await fetch(`${running.url}/hello`)).text()).toBe('good day');
    const gateway = await bench.as('gateway');
    await expect(new CommandClient(gateway.connection).call('gateway.health', { context })).resolves.toMatchObject({ service: 'gateway', consumers: [] });
    await expect(new CommandClient(gateway.connection).call('gateway.refuse' as 'gateway.health', { context })).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'Not this one' });
    expect(started).toBe(1);
    await running.close();
    await expect(fetch(`${running.url}/hello`)).rejects.toThrow();
  });

  it('refuses to start on a broker that was not set up, naming what is missing, and on wrong credentials', async () => {
    const bare = await BrokerBench.start({ setUp: false });
    const script: Script = { seen: [], onProposed: async () => undefined };
    await expect(hostService(smallPolicy(script), bare.config('policy'))).rejects.toThrow(/stream GATE/);
    const wrong = { broker: { ...bare.config('policy').broker, password: 'wrong' } };
    await expect(hostService(smallPolicy(script), wrong)).rejects.toThrow(/[Aa]uthorization/);
    await bare.stop();
  });
});
