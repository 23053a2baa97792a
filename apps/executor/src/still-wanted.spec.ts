import { LIMITS } from '@countersign/contracts';
import { outcomeOf } from '@countersign/domain-plan';
import { injectFaults } from '@countersign/fault-points';
import { planFacts } from '@countersign/testkit';
import { allow, deliveryOf, specWorld } from './spec-support/world.js';

const note = { provider: 'a', operation: 'write_note' };
const AN_HOUR = LIMITS.verdictGoodForMs / 1_000;
type World = Awaited<ReturnType<typeof specWorld>>;
const endsOf = async (world: World): Promise<unknown[]> =>
  [...(await world.plan()).items.values()].map((item) => [outcomeOf(item), item.outcome?.error?.category].filter(Boolean).join(' '));
const applied = (world: World): string[] => world.calls.filter((call) => call.startsWith('apply'));
const allAllowed = async (world: World, count: number, item: Parameters<World['propose']>[0][number] = note) => {
  await world.propose(Array.from({ length: count }, () => item));
  return await world.judge(...Array.from({ length: count }, (_, index) => allow(`i${index + 1}`)));
};
afterEach(() => injectFaults(''));

describe('an old verdict', () => {
  it('is not applied any more, and the item says so', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note, { ...note, operation: 'echo_read', input: { text: 'x' } }]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    world.clock.seconds = AN_HOUR;
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.calls).toEqual([]);
    expect(await endsOf(world)).toEqual(['skipped precondition_failed', 'skipped precondition_failed']);
    expect((await world.plan()).items.get('i1')!.outcome!.error!.message).toContain('propose it anew');
  });

  it('is as young as the answer of the person that it asked', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note, note]);
    await world.judge(allow('i1'), planFacts.verdict('i2', 'ask'));
    const answered = await world.append(world.logs.planner, planFacts.answered(planFacts.answer('i2', 'approve', { seconds: 1_200 })));
    world.clock.seconds = AN_HOUR;
    await world.executor().handle(answered, deliveryOf(answered));
    expect(await endsOf(world)).toEqual(['skipped precondition_failed', 'applied']);
  });

  it.each([['reconcilable&idempotent', 'indeterminate unknown'], ['keyed', 'indeterminate unknown']])(
    'is no reason to call again after a crash: %s', async (behaviour, end) => {
      const world = await specWorld({ a: behaviour });
      const evaluated = await allAllowed(world, 1);
      injectFaults('executor.before-apply=throw@1');
      await expect(world.executor().handle(evaluated, deliveryOf(evaluated))).rejects.toThrow();
      injectFaults('');
      world.clock.seconds = AN_HOUR;
      await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
      expect(await endsOf(world)).toEqual([end]);
      expect(applied(world)).toEqual([]);
    });
});

describe('a session that ends while the executor works', () => {
  it('stops what a recovery would call again, also when it ends during the recovery', async () => {
    const world = await specWorld({ a: 'reconcilable&idempotent' });
    const evaluated = await allAllowed(world, 1);
    injectFaults('executor.before-apply=throw@1');
    await expect(world.executor().handle(evaluated, deliveryOf(evaluated))).rejects.toThrow();
    injectFaults('');
    const connect = world.registry.connect;
    world.registry.connect = (tenant, endpoint) => ({ ...connect(tenant, endpoint), reconcile: async () => { await world.endSession(); return { found: 'not_applied' }; } });
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect(await endsOf(world)).toEqual(['indeterminate unknown']);
    expect(applied(world)).toEqual([]);
  });

  it('stops the next try of a call that failed', async () => {
    const world = await specWorld({ a: 'apply=refuse&idempotent' });
    const evaluated = await allAllowed(world, 1);
    const connect = world.registry.connect;
    world.registry.connect = (tenant, endpoint) => {
      const provider = connect(tenant, endpoint);
      return { ...provider, apply: async (call) => await provider.apply(call).finally(() => world.endSession()) };
    };
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(applied(world)).toHaveLength(1);
    expect(await endsOf(world)).toEqual(['failed concurrency_conflict']);
  });

  it('stops what stood in the provider’s line', async () => {
    const world = await specWorld({ a: 'slow=300&safe' });
    const evaluated = await allAllowed(world, LIMITS.providerConcurrency + 2);
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.peak() < LIMITS.providerConcurrency) await new Promise((resolve) => setTimeout(resolve, 1));
    await world.endSession();
    await handled;
    expect((await endsOf(world)).slice(LIMITS.providerConcurrency - 1)).toEqual(['applied', 'skipped cancelled', 'skipped cancelled']);
    expect(applied(world)).toHaveLength(LIMITS.providerConcurrency);
  });
});

it('counts the time of a call from its turn at the provider', async () => {
  const world = await specWorld({ a: 'slow=200&safe' }, (schema) => ({ ...schema, timeoutMs: 2_500 }));
  const count = LIMITS.providerConcurrency * 15; // three seconds in all
  const evaluated = await allAllowed(world, count);
  await world.executor().handle(evaluated, deliveryOf(evaluated));
  expect(new Set(await endsOf(world))).toEqual(new Set(['applied']));
  expect(world.sink.all()).toHaveLength(count);
});
