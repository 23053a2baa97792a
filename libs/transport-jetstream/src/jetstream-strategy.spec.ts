import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { StoredEvent } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { CommandClient, OnCommand, OnEvent, OnTimer, type Delivery, type Handled, type TimerFired } from './index.js';
import { Bench, eventually, pause } from '../test/bench.js';

const context = { tenant: 't1', principal: 'p1', correlationId: 'c1' };

describe('the strategy', () => {
  let bench: Bench;
  beforeEach(async () => { bench = await Bench.start(); });
  afterEach(async () => { await bench.stop(); });

  const unsettled = async (stream = 'GATE', service = 'policy') => {
    const info = await bench.manager.consumers.info(stream, service);
    return info.num_ack_pending + info.num_pending;
  };

  it('hands a decoded event and its delivery to the handler of its type, and acknowledges only when that has resolved', async () => {
    const seen: { type: string; sequence: number; delivery: number; deliveries: number }[] = [];
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => { finish = resolve; });
    @Controller()
    class Events {
      @OnEvent('plan.Proposed')
      async proposed(@Payload() event: StoredEvent, @Ctx() delivery: Delivery): Promise<Handled> {
        seen.push({ type: event.type, sequence: event.sequence, delivery: delivery.sequence, deliveries: delivery.deliveries });
        await gate;
      }
    }
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', Events);
    await bench.event('plan.Proposed');
    await eventually(() => seen.length === 1, 'delivered');
    await pause(200);
    expect((await bench.manager.consumers.info('GATE', 'policy')).num_ack_pending).toBe(1);
    finish();
    await eventually(async () => (await unsettled()) === 0, 'acknowledged');
    expect(seen).toEqual([{ type: 'plan.Proposed', sequence: 1, delivery: 1, deliveries: 1 }]);
  });

  it('acknowledges and ignores types without a handler', async () => {
    const seen: string[] = [];
    @Controller()
    class Events {
      @OnEvent('plan.Proposed') proposed(): void { seen.push('proposed'); }
    }
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', Events);
    await bench.event('plan.Closed');
    await bench.event('plan.Proposed');
    await eventually(async () => (await unsettled()) === 0, 'all settled');
    expect(seen).toEqual(['proposed']);
  });

  it('acknowledges unread what its subject says is nothing to the service, and waits while that cannot be said', async () => {
    const seen: number[] = [];
    const asked: string[] = [];
    @Controller()
    class Events {
      @OnEvent('plan.Proposed') proposed(@Payload() event: StoredEvent): void { seen.push(event.sequence); }
    }
    let away = true;
    const skip = async (subject: string): Promise<boolean> => {
      asked.push(subject);
      if (away && asked.length === 2) throw new GateError('UNAVAILABLE');
      away &&= asked.length < 2;
      return subject.includes('.t2.');
    };
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', Events, { skip });
    await bench.connection.request('evt.t2.s1.plan.s1-p1.planner.1', 'not an event at all');
    await eventually(async () => (await unsettled()) === 0, 'acknowledged unread');
    await bench.event('plan.Proposed');
    await eventually(async () => (await unsettled()) === 0, 'handled once it could be said');
    expect([seen, asked.length]).toEqual([[2], 3]);
  });

  it('refuses to start with two handlers for one pattern, and without its consumer', async () => {
    @Controller()
    class Twice {
      @OnEvent('plan.Proposed') one(): void {}
      @OnEvent('plan.Proposed') two(): void {}
    }
    @Controller()
    class Once { @OnEvent('plan.Proposed') one(): void {} }
    await expect(bench.service('policy', Once)).rejects.toThrow(/consumer policy of GATE cannot be reached/);
    await bench.consumer('GATE', 'policy');
    await expect(bench.service('policy', Twice)).rejects.toThrow(/Two handlers are registered for event:plan.Proposed/);
    @Controller()
    class Commands {
      @OnCommand('cancel') one(): void {}
      @OnCommand('cancel') two(): void {}
    }
    await expect(bench.service('policy', Commands)).rejects.toThrow(/Two handlers are registered for command:cancel/);
  });

  it('tells a timer by its name', async () => {
    const fired: string[] = [];
    @Controller()
    class Timers { @OnTimer() fired(@Payload() timer: TimerFired): void { fired.push(timer.name); } }
    await bench.consumer('TIMER_planner', 'planner', { filter_subject: 'timer.planner.fire.>' });
    await bench.service('planner', Timers, { consumes: ['TIMER_planner'] });
    bench.connection.publish('timer.planner.fire.plan.t1.s1-p1', '');
    await eventually(() => fired.length === 1, 'fired');
    expect(fired).toEqual(['plan.t1.s1-p1']);
  });

  it('never works on more messages than it may', async () => {
    let now = 0;
    let most = 0;
    @Controller()
    class Slow {
      @OnEvent('plan.Proposed')
      async slow(): Promise<void> {
        most = Math.max(most, ++now);
        await pause(10);
        now -= 1;
      }
    }
    await bench.consumer('GATE', 'policy');
    for (let i = 0; i < 60; i++) await bench.event('plan.Proposed');
    const { strategy } = await bench.service('policy', Slow, { concurrency: 4 });
    await eventually(async () => (await unsettled()) === 0, 'all settled');
    expect({ most, handled: strategy.stats.GATE!.handled }).toEqual({ most: 4, handled: 60 });
  });

  it('goes on after the broker was restarted under it', async () => {
    const seen = new Set<number>();
    @Controller()
    class Events { @OnEvent('plan.Proposed') one(@Payload() event: StoredEvent): void { seen.add(event.sequence); } }
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', Events);
    await bench.event('plan.Proposed');
    await eventually(() => seen.size === 1, 'the first');
    await bench.server.restart();
    await eventually(() => bench.event('plan.Proposed').then(() => true, () => false), 'the broker takes events again');
    await eventually(() => seen.size >= 2, 'the second');
  });

  it('drains: what runs is finished and acknowledged, what does not finish is given back and told to stop', async () => {
    const ended: string[] = [];
    @Controller()
    class Events {
      @OnEvent('plan.Proposed')
      async short(): Promise<void> { await pause(300); ended.push('short'); }
      @OnEvent('plan.Closed')
      async long(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): Promise<void> {
        await new Promise<void>((resolve) => delivery.signal.addEventListener('abort', () => resolve()));
        ended.push('told to stop');
      }
    }
    await bench.consumer('GATE', 'policy', { ackWaitMs: 30_000 });
    const { app, strategy } = await bench.service('policy', Events, { drainMs: 700 });
    await bench.event('plan.Proposed');
    const long = await bench.event('plan.Closed');
    await eventually(() => strategy.stats.GATE!.running === 2, 'both run');
    await app.close();
    await strategy.close();
    expect(ended).toEqual(['short', 'told to stop']);
    const next = await (await bench.manager.consumers.info('GATE', 'policy')).num_ack_pending;
    expect(next).toBe(1);
    const again: number[] = [];
    @Controller()
    class After { @OnEvent('plan.Closed') one(@Payload() event: StoredEvent): void { again.push(event.sequence); } }
    await bench.service('policy', After);
    await eventually(() => again.length === 1, 'another process has it long before ack_wait is over', 3_000);
    expect(again).toEqual([long]);
  });

  it('answers commands: data, refusals as they are, faults as an id, unknown verbs, bad bodies', async () => {
    @Controller()
    class Commands {
      @OnCommand('activate-bundle') activate(): object { return { sequence: 7, warnings: [] }; }
      @OnCommand('cancel') refuse(): void { throw new GateError('SESSION_ENDED', 'It has ended', { since: 'then' }); }
      @OnCommand('end-session') async fault(): Promise<void> { throw new Error('password=hunter2'); }
      @OnCommand('open-session') async slow(): Promise<void> { await pause(2_000); }
    }
    await bench.service('policy', Commands, { consumes: [] });
    const client = new CommandClient(bench.connection);
    const call = (name: string, timeoutMs = 1_000) => client.call(name as 'planner.cancel', { planId: 'p', at: '', context }, { timeoutMs });
    await expect(call('policy.activate-bundle')).resolves.toEqual({ sequence: 7, warnings: [] });
    await expect(call('policy.cancel')).rejects.toMatchObject({ code: 'SESSION_ENDED', message: 'It has ended', details: { since: 'then' } });
    await expect(call('policy.no-such')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(call('planner.cancel')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(call('policy.open-session', 200)).rejects.toMatchObject({ code: 'TIMEOUT' });
    const fault: GateError = await call('policy.end-session').then(() => undefined, (error) => error);
    expect(fault.code).toBe('INTERNAL');
    expect(JSON.stringify(fault.toWire())).not.toContain('hunter2');
    const { id } = fault.details as { id: string };
    expect(bench.lines.find((line) => line.fields.id === id)?.fields.error).toMatchObject({ message: 'password=hunter2' });
    const bad = await bench.connection.request('cmd.policy.cancel', '{');
    expect(bad.json()).toMatchObject({ ok: false, error: { code: 'MALFORMED_JSON' } });
  });

  it('answers its health, with how far its consumers are', async () => {
    @Controller()
    class None {}
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', None);
    await bench.event('plan.Proposed');
    await eventually(async () => (await unsettled()) === 0, 'settled');
    const health = await new CommandClient(bench.connection).call('policy.health', { context });
    expect(health).toMatchObject({ service: 'policy', version: 'test', instance: 'bench', draining: false });
    expect(health.consumers).toEqual([{ stream: 'GATE', lag: 0, unacknowledged: 0, running: 0, held: 0, handled: 1, failed: 0 }]);
  });
});
