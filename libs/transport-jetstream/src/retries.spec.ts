import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { StoredEvent } from '@countersign/contracts';
import { injectFaults } from '@countersign/fault-points';
import { GateError } from '@countersign/kernel';
import { CommandClient, DeadLetterOffice, OnEvent, OnTimer, type Delivery, type Handled, type TimerFired } from './index.js';
import { Bench, eventually, pause } from '../test/bench.js';

const context = { tenant: 't1', principal: 'p1', correlationId: 'c1' };

describe('what is not done at the first delivery', () => {
  let bench: Bench;
  let office: DeadLetterOffice;
  beforeEach(async () => {
    bench = await Bench.start();
    office = new DeadLetterOffice(bench.manager, new CommandClient(bench.connection));
  });
  afterEach(async () => {
    injectFaults('');
    await bench.stop();
  });

  const unsettled = async () => {
    const info = await bench.manager.consumers.info('GATE', 'policy');
    return info.num_ack_pending + info.num_pending;
  };

  it('a handler that throws three times and then works: four deliveries, no dead letter', async () => {
    const deliveries: number[] = [];
    @Controller()
    class Flaky {
      @OnEvent('plan.Proposed')
      async one(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): Promise<void> {
        deliveries.push(delivery.deliveries);
        if (deliveries.length <= 3) throw new Error('not now');
      }
    }
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', Flaky);
    await bench.event('plan.Proposed');
    await eventually(async () => deliveries.length === 4 && (await unsettled()) === 0, 'done');
    expect(deliveries).toEqual([1, 2, 3, 4]);
    expect(await office.list()).toEqual([]);
    expect(bench.lines.filter((line) => line.level === 'warn').map((line) => line.fields.then)).toEqual([
      { kind: 'nak', delayMs: 100 }, { kind: 'nak', delayMs: 200 }, { kind: 'nak', delayMs: 400 },
    ]);
  });

  it('a handler that always throws: a dead letter with its reason after max_deliver; fixed and retried, it is resolved', async () => {
    let broken = true;
    const deliveries: number[] = [];
    @Controller()
    class Broken {
      @OnEvent('plan.Proposed')
      async one(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): Promise<void> {
        deliveries.push(delivery.deliveries);
        if (broken) throw new GateError('POLICY_INVALID', 'The bundle has no rules');
      }
    }
    await bench.consumer('GATE', 'policy', { max_deliver: 3 });
    await bench.service('policy', Broken);
    const sequence = await bench.event('plan.Proposed');
    await eventually(async () => (await office.list()).length === 1, 'a dead letter');
    expect(deliveries).toEqual([1, 2, 3]);
    expect(await unsettled()).toBe(0);
    const letter = { service: 'policy', stream: 'GATE', sequence, kind: 'failed', deliveries: 3, retries: 0, at: expect.any(String) };
    expect(await office.list()).toEqual([{ ...letter, reason: 'failed: POLICY_INVALID: The bundle has no rules' }]);

    await expect(office.retry('policy', 'GATE', sequence, context)).rejects.toMatchObject({ code: 'POLICY_INVALID' });
    expect(await office.list()).toEqual([{ ...letter, retries: 1, reason: 'retry failed: POLICY_INVALID: The bundle has no rules' }]);
    broken = false;
    await office.retry('policy', 'GATE', sequence, context);
    expect(await office.list()).toEqual([{ ...letter, retries: 2, reason: 'retry failed: POLICY_INVALID: The bundle has no rules', resolvedAt: expect.any(String) }]);
    await expect(office.retry('policy', 'GATE', sequence, context)).rejects.toMatchObject({ code: 'ALREADY_RESOLVED' });
    await expect(office.retry('policy', 'GATE', 99, context)).rejects.toMatchObject({ code: 'DEAD_LETTER_UNKNOWN' });
  });

  it('a timer whose handler fails to the last stays in its work queue and can be retried', async () => {
    let broken = true;
    const fired: string[] = [];
    @Controller()
    class Timers {
      @OnTimer()
      async one(@Payload() timer: TimerFired): Promise<void> {
        if (broken) throw new Error('no');
        fired.push(timer.name);
      }
    }
    await bench.consumer('TIMER_planner', 'planner', { max_deliver: 2, filter_subject: 'timer.planner.fire.>' });
    await bench.service('planner', Timers, { consumes: ['TIMER_planner'] });
    bench.connection.publish('timer.planner.fire.plan.t1.p1', '');
    await eventually(async () => (await office.list()).length === 1, 'a dead letter');
    expect(await office.list()).toMatchObject([{ service: 'planner', stream: 'TIMER_planner', sequence: 1, kind: 'deliveries', deliveries: 2 }]);
    broken = false;
    await office.retry('planner', 'TIMER_planner', 1, context);
    expect(fired).toEqual(['plan.t1.p1']);
  });

  it('of two retries at once one runs', async () => {
    let broken = true;
    let runs = 0;
    @Controller()
    class Slow {
      @OnEvent('plan.Proposed')
      async one(): Promise<void> {
        if (broken) throw new Error('no');
        runs += 1;
        await pause(200);
      }
    }
    await bench.consumer('GATE', 'policy', { max_deliver: 1 });
    await bench.service('policy', Slow);
    await bench.service('policy', Slow);
    const sequence = await bench.event('plan.Proposed');
    await eventually(async () => (await office.list()).length === 1, 'a dead letter');
    broken = false;
    const both = await Promise.allSettled([office.retry('policy', 'GATE', sequence, context), office.retry('policy', 'GATE', sequence, context)]);
    expect(runs).toBe(1);
    expect(both.map((one) => (one.status === 'rejected' ? (one.reason as GateError).code : 'done')).sort()).toEqual(['BUSY', 'done']);
  });

  it('one retry of a service runs at a time, whichever its letters are', async () => {
    let broken = true;
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => { finish = resolve; });
    @Controller()
    class Slow {
      @OnEvent('plan.Proposed')
      async one(): Promise<void> {
        if (broken) throw new Error('no');
        await finished;
      }
    }
    await bench.consumer('GATE', 'policy', { max_deliver: 1 });
    await bench.service('policy', Slow);
    const [first, second] = [await bench.event('plan.Proposed'), await bench.event('plan.Proposed')];
    await eventually(async () => (await office.list()).length === 2, 'two dead letters');
    broken = false;
    const running = office.retry('policy', 'GATE', first, context);
    await eventually(async () => (await office.list()).some((one) => one.retryingUntil !== undefined), 'it runs');
    await expect(office.retry('policy', 'GATE', second, context)).rejects.toMatchObject({ code: 'BUSY', message: expect.stringContaining(`GATE:${first}`) });
    finish();
    await running;
    await office.retry('policy', 'GATE', second, context);
    expect((await office.list()).every((one) => one.resolvedAt !== undefined)).toBe(true);
  });

  it('poison is a dead letter at once, with the reason, and holds up nobody', async () => {
    const seen: number[] = [];
    @Controller()
    class Events { @OnEvent('plan.Proposed') one(@Payload() event: StoredEvent): void { seen.push(event.sequence); } }
    await bench.consumer('GATE', 'policy');
    await bench.service('policy', Events);
    const poison = await bench.event('plan.Proposed', { body: 'not JSON' });
    const good = await bench.event('plan.Proposed');
    await eventually(async () => seen.length === 1 && (await office.list()).length === 1, 'both settled');
    expect(seen).toEqual([good]);
    expect(await office.list()).toMatchObject([{ sequence: poison, kind: 'unparsable', deliveries: 1, reason: expect.stringMatching(/^unparsable: .*its body is not JSON/) }]);
    await expect(office.retry('policy', 'GATE', poison, context)).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' });
  });

  it('an event of a newer build is never decided on and never given up, with an alarm', async () => {
    @Controller()
    class Events { @OnEvent('plan.Proposed') one(): void { throw new Error('must not run'); } }
    await bench.consumer('GATE', 'policy', { max_deliver: 2, ackWaitMs: 900 });
    await bench.service('policy', Events);
    await bench.event('plan.Proposed', { headers: { 'ce-dataversion': '9' } });
    const alarmsOf = () => bench.lines.filter((line) => line.fields.alarm === true);
    await eventually(() => alarmsOf().length > 3, 'tried more often than it may be delivered');
    expect(await unsettled()).toBe(1);
    expect(await office.list()).toEqual([]);
    const alarms = alarmsOf();
    expect(alarms[0]?.message).toMatch(/newer than this build/);
  });

  it('waiting longer than max_deliver allows is not a failure: the message is held, and done when its time has come', async () => {
    const runs: number[] = [];
    @Controller()
    class Waiting {
      @OnEvent('plan.Proposed')
      async one(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): Promise<Handled> {
        runs.push(delivery.deliveries);
        return runs.length < 12 ? { retryInMs: 150 } : undefined;
      }
    }
    await bench.consumer('GATE', 'policy', { max_deliver: 6, ackWaitMs: 900 });
    const { strategy } = await bench.service('policy', Waiting);
    await bench.event('plan.Proposed');
    await eventually(() => strategy.stats.GATE!.held === 1, 'it is held');
    await eventually(async () => runs.length === 12 && (await unsettled()) === 0, 'done');
    expect(runs).toEqual([1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
    expect(await office.list()).toEqual([]);
    expect(strategy.stats.GATE).toEqual({ running: 0, held: 0, handled: 1, failed: 0 });
  });

  it('an outage makes no dead letters, brings the consumer to a stand, and all is done after it', async () => {
    let out = true;
    const tries = new Map<number, number>();
    const done = new Set<number>();
    @Controller()
    class Dependent {
      @OnEvent('plan.Proposed')
      async one(@Payload() event: StoredEvent): Promise<void> {
        tries.set(event.sequence, (tries.get(event.sequence) ?? 0) + 1);
        if (out) throw new GateError('UNAVAILABLE');
        done.add(event.sequence);
      }
    }
    await bench.consumer('GATE', 'policy', { max_deliver: 4, ackWaitMs: 1_200 });
    const { strategy } = await bench.service('policy', Dependent, { concurrency: 4 });
    for (let i = 0; i < 20; i++) await bench.event('plan.Proposed');
    await eventually(() => [...tries.values()].some((count) => count > 4), 'one was tried more often than it may be delivered');
    expect(await office.list()).toEqual([]);
    expect(strategy.stats.GATE!.held).toBeGreaterThan(0);
    expect([...tries.values()].filter((count) => count > 2).length).toBeLessThan(20); // the rest waits for those that are held
    out = false;
    await eventually(async () => done.size === 20 && (await unsettled()) === 0, 'all done', 20_000);
    expect(strategy.stats.GATE!.failed).toBe(0);
  }, 40_000);

  it('a handler that takes longer than ack_wait keeps its message for as long as it runs', async () => {
    let runs = 0;
    let left = 0;
    @Controller()
    class Slow {
      @OnEvent('plan.Proposed')
      async one(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): Promise<void> {
        runs += 1;
        await pause(3_000);
        left = delivery.leaseLeftMs();
        expect(delivery.signal.aborted).toBe(false);
      }
    }
    await bench.consumer('GATE', 'policy', { ackWaitMs: 900 });
    await bench.service('policy', Slow);
    await bench.event('plan.Proposed');
    await eventually(async () => runs > 0 && (await unsettled()) === 0, 'done');
    expect(runs).toBe(1);
    expect(left).toBeGreaterThan(0);
  });

  it('a handler that has lost the broker is told when its lease is over, not later', async () => {
    let told: { readonly at: number; readonly endsAt: number; readonly looksAfterItsEnd: number } | undefined;
    @Controller()
    class Acting {
      @OnEvent('plan.Proposed')
      async one(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): Promise<void> {
        let endsAt = 0;
        let looksAfterItsEnd = 0;
        const look = setInterval(() => {
          const left = delivery.leaseLeftMs();
          if (left > 0) endsAt = performance.now() + left;
          else looksAfterItsEnd += 1;
        }, 50);
        await new Promise<void>((resolve) => delivery.signal.addEventListener('abort', () => resolve()));
        clearInterval(look);
        told = { at: performance.now(), endsAt, looksAfterItsEnd };
      }
    }
    await bench.consumer('GATE', 'policy', { ackWaitMs: 1_500 });
    const { strategy } = await bench.service('policy', Acting);
    await bench.event('plan.Proposed');
    await eventually(() => strategy.stats.GATE!.running === 1, 'it runs');
    await bench.server.pause();
    await eventually(() => told !== undefined, 'told');
    await bench.server.resume();
    expect(told!.endsAt).toBeGreaterThan(0);
    expect(told!.at).toBeGreaterThanOrEqual(told!.endsAt - 1);
    expect(told!.looksAfterItsEnd).toBeLessThanOrEqual(2); // in looks, which a busy machine holds up as much as the telling
  });

  it('a fault between the handler and its acknowledgement brings the message again', async () => {
    const deliveries: number[] = [];
    @Controller()
    class Events { @OnEvent('plan.Proposed') one(@Payload() _: StoredEvent, @Ctx() delivery: Delivery): void { deliveries.push(delivery.deliveries); } }
    await bench.consumer('GATE', 'policy', { ackWaitMs: 700 });
    await bench.service('policy', Events);
    injectFaults('runner.before-ack=throw@1');
    await bench.event('plan.Proposed');
    await eventually(async () => deliveries.length === 2 && (await unsettled()) === 0, 'again');
    expect(deliveries).toEqual([1, 2]);
  });

  it('a message that kills its process every time is dead-lettered by the server, and a healthy process goes on with the rest', async () => {
    await bench.consumer('GATE', 'policy', { ackWaitMs: 600, max_deliver: 2 });
    const poison = await bench.event('plan.Proposed');
    expect(await runAndDie(bench.server.url, 'runner.before-handler=kill')).toEqual({ signal: 'SIGKILL', handled: 0 });
    await pause(800);
    expect(await runAndDie(bench.server.url, 'runner.before-ack=kill')).toEqual({ signal: 'SIGKILL', handled: 1 });
    const seen: number[] = [];
    @Controller()
    class Events { @OnEvent('plan.Proposed') one(@Payload() event: StoredEvent): void { seen.push(event.sequence); } }
    await bench.service('policy', Events);
    const next = await bench.event('plan.Proposed');
    await eventually(async () => (await office.list()).length === 1, 'the server says so');
    expect(await office.list()).toMatchObject([{ sequence: poison, kind: 'deliveries', deliveries: 2 }]);
    expect(seen).toEqual([next]);
    await office.retry('policy', 'GATE', poison, context);
    expect(seen).toEqual([next, poison]);
  });
});

/** The service in a process of its own, until it is dead. */
async function runAndDie(url: string, faults: string): Promise<{ signal: string | null; handled: number }> {
  const hooks = fileURLToPath(new URL('../test/ts-hooks.mjs', import.meta.url));
  const main = fileURLToPath(new URL('../test/killed-service.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', '--import', hooks, main, url], {
    env: { ...process.env, NODE_OPTIONS: '', COUNTERSIGN_FAULTS: faults }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => { output += chunk.toString(); });
  const signal = await new Promise<string | null>((resolve) => child.on('close', (_, by) => resolve(by)));
  return { signal, handled: output.split('\n').filter((line) => line === 'handled').length };
}
