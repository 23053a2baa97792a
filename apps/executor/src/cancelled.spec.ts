import { LIMITS } from '@countersign/contracts';
import { isSettled, outcomeOf } from '@countersign/domain-plan';
import { injectFaults } from '@countersign/fault-points';
import { allow, deliveryOf, specWorld } from './spec-support/world.js';

const note = { provider: 'a', operation: 'write_note' };
const read = { provider: 'a', operation: 'echo_read', input: { text: 'x' } };
type World = Awaited<ReturnType<typeof specWorld>>;
const endsOf = async (world: World): Promise<unknown[]> =>
  [...(await world.plan()).items.values()].map((item) => [outcomeOf(item), item.outcome?.error?.category].filter(Boolean).join(' '));
const applied = (world: World): string[] => world.calls.filter((call) => call.startsWith('apply'));
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const allAllowed = async (world: World, items: Parameters<World['propose']>[0]) => {
  await world.propose(items);
  return await world.judge(...items.map((_, index) => allow(`i${index + 1}`)));
};
const skipped = 'skipped cancelled';
afterEach(() => injectFaults(''));

describe('a plan that was cancelled', () => {
  it('calls nothing more: what runs comes to its end, the rest is skipped', async () => {
    const world = await specWorld({ a: 'slow=300' });
    const evaluated = await allAllowed(world, Array.from({ length: 10 }, () => note));
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await world.cancel();
    await handled;
    expect(await endsOf(world)).toEqual(['applied', ...Array.from({ length: 9 }, () => skipped)]);
    expect(applied(world)).toEqual(['apply a/write_note n1']);
    expect((await world.plan()).items.get('i2')!.outcome!.error!.message).toBe('The plan was cancelled before the call was made');
  });

  it('calls nothing more that stood in the provider’s line', async () => {
    const world = await specWorld({ a: 'slow=300&safe' });
    const evaluated = await allAllowed(world, Array.from({ length: LIMITS.providerConcurrency + 2 }, () => note));
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.peak() < LIMITS.providerConcurrency) await soon();
    await world.cancel();
    await handled;
    expect(applied(world)).toHaveLength(LIMITS.providerConcurrency);
    expect((await endsOf(world)).slice(LIMITS.providerConcurrency - 1)).toEqual(['applied', skipped, skipped]);
  });

  it.each([['resources and reads', [note, read, note]], ['reads alone', [read, read]], ['resources alone', [note, note]]])('begins nothing: %s', async (_, items) => {
    const world = await specWorld({ a: '' });
    const evaluated = await allAllowed(world, items);
    await world.cancel();
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.calls).toEqual([]);
    expect(new Set(await endsOf(world))).toEqual(new Set([skipped]));
    expect(world.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.Closed', 'plan.Outcomes']);
  });

  it('begins nothing when it is cancelled at the last moment before its start', async () => {
    const world = await specWorld({ a: '' });
    const evaluated = await allAllowed(world, [note, note]);
    injectFaults('executor.before-start=delay:100');
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await world.cancel();
    await handled;
    expect(world.calls).toEqual([]);
    expect(await endsOf(world)).toEqual([skipped, skipped]);
  });

  it('is not called again after a failure or a crash', async () => {
    const failing = await specWorld({ a: 'apply=refuse&idempotent' });
    const first = await allAllowed(failing, [note]);
    const connect = failing.registry.connect;
    failing.registry.connect = (tenant, endpoint) => {
      const provider = connect(tenant, endpoint);
      return { ...provider, apply: async (call) => await provider.apply(call).finally(() => failing.cancel()) };
    };
    await failing.executor().handle(first, deliveryOf(first));
    expect([applied(failing).length, await endsOf(failing)]).toEqual([1, ['failed concurrency_conflict']]);

    const crashed = await specWorld({ a: 'keyed' });
    const evaluated = await allAllowed(crashed, [note]);
    injectFaults('executor.before-apply=throw@1');
    await expect(crashed.executor().handle(evaluated, deliveryOf(evaluated))).rejects.toThrow();
    injectFaults('');
    await crashed.cancel();
    await crashed.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect([applied(crashed), await endsOf(crashed)]).toEqual([[], ['indeterminate unknown']]);
  });
});

describe('the cancelling itself', () => {
  it('settles what nobody has begun, though the verdict’s own message does not come', async () => {
    const world = await specWorld({ a: '' });
    await allAllowed(world, [note, note]);
    const closed = await world.cancel();
    expect(await world.executor().closed(closed)).toBeUndefined();
    expect(await endsOf(world)).toEqual([skipped, skipped]);
    const before = world.events().length;
    await world.executor('e2').closed(closed);
    expect(world.events()).toHaveLength(before);
  });

  it('leaves what runs alone', async () => {
    const world = await specWorld({ a: 'slow=200' });
    const evaluated = await allAllowed(world, [note, note]);
    const executor = world.executor();
    const handled = executor.handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await executor.closed(await world.cancel());
    expect(await endsOf(world)).toEqual(['', '']);
    await handled;
    expect(await endsOf(world)).toEqual(['applied', skipped]);
  });

  it('gives reads, which leave no trace while they run, the time of one call', async () => {
    const world = await specWorld({ a: '' });
    await allAllowed(world, [note, read]);
    const closed = await world.cancel();
    const later = await world.executor().closed(closed);
    expect(await endsOf(world)).toEqual([skipped, '']);
    world.clock.seconds = 60 + Math.ceil(LIMITS.applyTimeoutMs / 1_000) + 10;
    expect(later).toEqual({ retryInMs: 58_000 + LIMITS.applyTimeoutMs + 5_000 }); // closed a minute after its proposal, asked two seconds after it
    expect(await world.executor().closed(closed)).toBeUndefined();
    expect(isSettled(await world.plan())).toBe(true);
  });
});
