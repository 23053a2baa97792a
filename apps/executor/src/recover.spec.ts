import { outcomeOf } from '@countersign/domain-plan';
import { injectFaults } from '@countersign/fault-points';
import { failed } from '@countersign/providers';
import { planFacts } from '@countersign/testkit';
import { allow, deliveryOf, specWorld } from './spec-support/world.js';

const { applyStarted, attemptAt } = planFacts;

const note = { provider: 'a', operation: 'write_note' };
type World = Awaited<ReturnType<typeof specWorld>>;
const endsOf = async (world: World): Promise<unknown[]> => [...(await world.plan()).items.values()].map(outcomeOf);

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const untilEffects = async (world: World, count: number): Promise<void> => { while (world.sink.all().length < count) await soon(); };

/** Runs a plan of one note, with an executor that dies at the point, and gives the message to another. */
async function dieAndRecover(behaviour: string, point: string): Promise<World> {
  const world = await specWorld({ a: behaviour });
  await world.propose([note]);
  const evaluated = await world.judge(allow('i1'));
  injectFaults(`${point}=throw@1`);
  await expect(world.executor('e1').handle(evaluated, deliveryOf(evaluated))).rejects.toThrow(point);
  injectFaults('');
  await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
  return world;
}
afterEach(() => injectFaults(''));

describe('a message that comes again', () => {
  it.each([
    ['nothing was started', '', 'executor.before-start', 'applied', 1],
    ['reconcilable alone, before the call', 'reconcilable', 'executor.before-apply', 'indeterminate', 0],
    ['reconcilable and idempotent, before the call', 'reconcilable&idempotent', 'executor.before-apply', 'applied', 1],
    ['reconcilable and key enforced, before the call', 'reconcilable&keyed', 'executor.before-apply', 'applied', 1],
    ['reconcilable, after the call', 'reconcilable', 'executor.before-outcome', 'applied', 1],
    ['key enforced, before the call', 'keyed', 'executor.before-apply', 'applied', 1],
    ['key enforced, after the call', 'keyed', 'executor.before-outcome', 'applied', 1],
    ['neither, before the call', '', 'executor.before-apply', 'indeterminate', 0],
    ['neither, after the call', '', 'executor.before-outcome', 'indeterminate', 1],
    ['idempotent alone is no reason to call again', 'idempotent', 'executor.before-outcome', 'indeterminate', 1],
    ['the outcome was durable', '', 'executor.after-outcome', 'applied', 1],
  ])('%s', async (_, behaviour, point, outcome, effects) => {
    const world = await dieAndRecover(behaviour, point);
    expect(await endsOf(world)).toEqual([outcome]);
    expect(world.sink.all()).toHaveLength(effects);
  });

  it('calls again under the same key and a higher fence', async () => {
    const world = await dieAndRecover('keyed', 'executor.before-outcome');
    const attempts = (await world.plan()).items.get('i1')!.attempts;
    expect(attempts.map(({ attempt, fence }) => [attempt, fence])).toEqual([[1, 1], [2, 2]]);
    expect(new Set(attempts.map((attempt) => attempt.idempotencyKey)).size).toBe(1);
    expect((await world.plan()).items.get('i1')!.outcome).toMatchObject({ attempt: 2 });
  });

  it('does not take a failed second attempt for proof that the first one had no effect', async () => {
    const world = await specWorld({ a: 'keyed' });
    await world.propose([note]);
    const evaluated = await world.judge(allow('i1'));
    injectFaults('executor.before-outcome=throw@1');
    await expect(world.executor().handle(evaluated, deliveryOf(evaluated))).rejects.toThrow();
    injectFaults('');
    const connect = world.registry.connect;
    world.registry.connect = (tenant, endpoint) => ({ ...connect(tenant, endpoint), apply: async () => failed('execution_failed', 'this key was used before') });
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect(await endsOf(world)).toEqual(['indeterminate']);
    expect(world.sink.all()).toHaveLength(1);
  });

  it('does not call a second time beside a first executor that only sleeps, and takes its late answer', async () => {
    const world = await specWorld({ a: 'reconcilable&slow=300' });
    await world.propose([note]);
    const evaluated = await world.judge(allow('i1'));
    const asleep = world.executor('e1').handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect(await endsOf(world)).toEqual(['indeterminate']);
    expect((await world.plan()).items.get('i1')!.outcome!.error!.message).toMatch(/did not show the effect when it was asked.*person/);
    await asleep;
    expect(world.sink.all()).toHaveLength(1);
    expect(await endsOf(world)).toEqual(['applied']);
  });

  it.each([
    ['fails', failed('execution_failed', 'no')], ['is lost as well, and does not show', failed('unknown', 'nobody knows')],
  ])('does not take "it is not there" for proof: a second attempt that %s leaves it in doubt', async (_, answer) => {
    const world = await specWorld({ a: 'reconcilable&idempotent' });
    await world.propose([note]);
    const evaluated = await world.judge(allow('i1'));
    injectFaults('executor.before-apply=throw@1');
    await expect(world.executor().handle(evaluated, deliveryOf(evaluated))).rejects.toThrow();
    injectFaults('');
    const connect = world.registry.connect;
    world.registry.connect = (tenant, endpoint) => ({ ...connect(tenant, endpoint), apply: async () => answer });
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect(await endsOf(world)).toEqual(['indeterminate']);
  });

  it('leaves the attempts of another message alone', async () => {
    const world = await specWorld({ a: 'reconcilable' });
    await world.propose([note]);
    const evaluated = await world.judge(allow('i1'));
    await world.append(world.logs.executor, applyStarted([attemptAt('i1')], { stream: 'GATE', sequence: evaluated.sequence + 1_000, executor: 'other' }));
    await world.executor().handle(evaluated, deliveryOf(evaluated, 2));
    expect(world.calls).toEqual([]);
    expect(await endsOf(world)).toEqual([undefined]);
  });

  it('waits while its first run in this process still works on the item', async () => {
    const world = await specWorld({ a: 'slow=500' });
    await world.propose([note]);
    const evaluated = await world.judge(allow('i1'));
    const executor = world.executor();
    const first = executor.handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    expect(await executor.handle(evaluated, deliveryOf(evaluated, 2))).toMatchObject({ retryInMs: expect.any(Number) });
    await first;
    expect(await endsOf(world)).toEqual(['applied']);
    expect(world.calls).toEqual(['apply a/write_note n1']);
  });

  it('leaves an item open when the lease ends in mid-call, for the next delivery to settle', async () => {
    const world = await specWorld({ a: 'apply=hang-after&reconcilable&idempotent' });
    await world.propose([note, note]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    const lease = new AbortController();
    void untilEffects(world, 1).then(() => lease.abort());
    await expect(world.executor('e1').handle(evaluated, deliveryOf(evaluated, 1, lease))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await endsOf(world)).toEqual([undefined, undefined]);
    expect(world.calls).toEqual(['apply a/write_note n1']);
    const again = new AbortController();
    void untilEffects(world, 2).then(() => again.abort());
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2, again)).catch(() => undefined);
    expect((await endsOf(world))[0]).toBe('applied');
    expect(world.sink.all().filter((effect) => effect.input['name'] === 'n1')).toHaveLength(1);
  });

  it('finds out, but calls nothing any more, when the session has ended', async () => {
    for (const [behaviour, point, outcome] of [
      ['reconcilable', 'executor.before-outcome', 'applied'], ['reconcilable&idempotent', 'executor.before-apply', 'indeterminate'], ['keyed', 'executor.before-apply', 'indeterminate'],
    ] as const) {
      const world = await specWorld({ a: behaviour });
      await world.propose([note]);
      const evaluated = await world.judge(allow('i1'));
      injectFaults(`${point}=throw@1`);
      await expect(world.executor().handle(evaluated, deliveryOf(evaluated))).rejects.toThrow(point);
      injectFaults('');
      await world.endSession();
      const calls = world.calls.length;
      await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
      expect(await endsOf(world)).toEqual([outcome]);
      expect(world.calls.slice(calls).filter((call) => call.startsWith('apply'))).toEqual([]);
    }
  });
});
