import { LIMITS, type SessionGrant } from '@countersign/contracts';
import { outcomeOf, toolResultOf } from '@countersign/domain-plan';
import { planFacts } from '@countersign/testkit';
import { allow, deliveryOf, SESSION, specWorld } from './spec-support/world.js';

const note = { provider: 'a', operation: 'write_note' };
const read = { provider: 'a', operation: 'echo_read', input: { text: 'x' } };
type World = Awaited<ReturnType<typeof specWorld>>;
const endsOf = async (world: World): Promise<unknown[]> =>
  [...(await world.plan()).items.values()].map((item) => [outcomeOf(item), item.outcome?.error?.category].filter(Boolean).join(' '));
const toldOf = async (world: World, itemId = 'i1'): Promise<string | undefined> => toolResultOf((await world.plan()).items.get(itemId)!)?.text;
const applied = (world: World): string[] => world.calls.filter((call) => call.startsWith('apply'));
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const allAllowed = async (world: World, items: Parameters<World['propose']>[0]) => {
  await world.propose(items);
  return await world.judge(...items.map((_, index) => allow(`i${index + 1}`)));
};
const applyAll = async (world: World, items: Parameters<World['propose']>[0]): Promise<void> => {
  const evaluated = await allAllowed(world, items);
  await world.executor().handle(evaluated, deliveryOf(evaluated));
};

describe('what is frozen', () => {
  it.each([['the whole tenant', {}], ['its session', { session: SESSION }], ['its agent', { agent: 'a' }], ['its provider', { provider: 'a' }]])('is not started: %s', async (_, target) => {
    const world = await specWorld({ a: '' });
    await world.freeze(target);
    await applyAll(world, [note, read]);
    expect(world.calls).toEqual([]);
    expect(await endsOf(world)).toEqual(['skipped cancelled', 'skipped cancelled']);
    expect(world.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.Outcomes']);
    expect(await toldOf(world)).toBe('write_note of a was skipped and did not run (It was frozen by ops (“odd”) before the call was made)');
  });

  it('leaves the rest alone, and is started again once it is lifted', async () => {
    const world = await specWorld({ a: '' });
    await world.freeze({ provider: 'a', operation: 'write_note' });
    await world.freeze({ agent: 'another' }, 'f2');
    await applyAll(world, [note, read]);
    expect(await endsOf(world)).toEqual(['skipped cancelled', 'applied']);

    const lifted = await specWorld({ a: '' });
    await lifted.freeze();
    await lifted.unfreeze();
    await applyAll(lifted, [note]);
    expect(await endsOf(lifted)).toEqual(['applied']);
  });

  it('is not called either when the freeze comes while its start is written, however long that takes', async () => {
    const world = await specWorld({ a: '' });
    const evaluated = await allAllowed(world, [note]);
    const { append } = world.logs.executor;
    world.logs.executor.append = async (key, expected, event) => {
      await world.freeze();
      await new Promise((resolve) => setTimeout(resolve, 300));
      world.logs.executor.append = append;
      return await append.call(world.logs.executor, key, expected, event);
    };
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(applied(world)).toEqual([]);
    expect(await endsOf(world)).toEqual(['skipped cancelled']);
  });

  it('does not go on to what waited for its lock', async () => {
    const world = await specWorld({ a: 'slow=900' });
    const evaluated = await allAllowed(world, [note, note]);
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await world.freeze();
    await handled;
    expect(applied(world)).toHaveLength(1);
    expect((await endsOf(world))[1]).toBe('skipped cancelled');
  });

  it.each([
    ['a read has failed', read, 'slow=60000', 'failed cancelled'],
    ['an effect that may have taken place is indeterminate', note, 'slow=60000', 'indeterminate cancelled'],
    ['one that certainly did not has failed', note, 'slow=60000&reconcilable', 'failed cancelled'],
  ])('is told to cancel while it runs: %s', async (_, item, behaviour, end) => {
    const world = await specWorld({ a: behaviour });
    const evaluated = await allAllowed(world, [item]);
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await world.freeze({ provider: 'a' });
    await handled;
    expect(await endsOf(world)).toEqual([end]);
    expect(await toldOf(world)).toContain('It was frozen by ops (“odd”) while the call ran, and it was told to cancel');
  });

  it('lets a call of something else run on', async () => {
    const world = await specWorld({ a: 'slow=700' });
    const evaluated = await allAllowed(world, [note]);
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await world.freeze({ provider: 'b' });
    await handled;
    expect(await endsOf(world)).toEqual(['applied']);
  });
});

describe('a session in its final turn', () => {
  it('starts nothing any more, also not what was allowed before', async () => {
    const world = await specWorld({ a: '' });
    const evaluated = await allAllowed(world, [note, read]);
    await world.inSession({ type: 'session.LimitReached', data: { cause: 'doom_loop', detail: 'd', items: [], endsAt: planFacts.at(300), at: planFacts.at(2) } });
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.calls).toEqual([]);
    expect(await endsOf(world)).toEqual(['skipped cancelled', 'skipped cancelled']);
    expect(await toldOf(world)).toBe('write_note of a was skipped and did not run (The session came to its limit before the call was made, and calls nothing any more)');
  });
});

describe('a denial for the rest of the session', () => {
  const denial = (change: Partial<SessionGrant> = {}): SessionGrant =>
    ({ grantId: 'g1', provider: 'a', operation: 'write_note', decision: 'deny', by: 'ops', origin: { plan: 'p', itemId: 'i1' }, at: planFacts.at(2), ...change });
  const given = async (grant: SessionGrant): Promise<World> => {
    const world = await specWorld({ a: '' });
    const evaluated = await allAllowed(world, [note, read]);
    await world.inSession({ type: 'session.Granted', data: { grant } });
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    return world;
  };

  it('stops what policy had allowed before', async () => {
    const world = await given(denial());
    expect(await endsOf(world)).toEqual(['skipped cancelled', 'applied']);
    expect(await toldOf(world)).toBe('write_note of a was skipped and did not run (ops denied such calls for the rest of the session before this one was made)');
  });

  it.each<[string, Partial<SessionGrant>]>([
    ['allows', { decision: 'allow' }], ['is about another operation', { operation: 'other' }], ['is about other arguments', { narrow: { kind: 'exact_input', inputDigest: 'f'.repeat(64) } }],
  ])('stops nothing where the grant %s', async (_, change) => {
    expect(await endsOf(await given(denial(change)))).toEqual(['applied', 'applied']);
  });

  it('does not undo what a person allowed after it', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note, note]);
    await world.judge(planFacts.verdict('i1', 'ask'), planFacts.verdict('i2', 'ask'));
    await world.inSession({ type: 'session.Granted', data: { grant: denial({ at: planFacts.at(10) }) } });
    const answered = await world.append(world.logs.planner, planFacts.answered(planFacts.answer('i1', 'approve', { seconds: 9 }), planFacts.answer('i2', 'approve', { seconds: 11 })));
    await world.executor().handle(answered, deliveryOf(answered));
    expect(await endsOf(world)).toEqual(['skipped cancelled', 'applied']);
  });
});

describe('reads from the leader before calls', () => {
  const readsOf = async (items: Parameters<World['propose']>[0]): Promise<string[]> => {
    const world = await specWorld({ a: 'safe' });
    const reads: string[] = [];
    const { end } = world.logs.executor;
    world.logs.executor.end = async (key) => {
      reads.push(key.aggregate);
      return await end.call(world.logs.executor, key);
    };
    await applyAll(world, items);
    const counted = [...reads].sort();
    expect(new Set(await endsOf(world))).toEqual(new Set(['applied']));
    return counted;
  };

  it('are one for a plan whose items need a start, however many there are, beside the tenant’s', async () => {
    expect(await readsOf([note])).toEqual(['session', 'tenant']);
    expect(await readsOf(Array.from({ length: LIMITS.providerConcurrency }, () => note))).toEqual(['session', 'tenant']);
  });

  it('are one where reads are called beside them: the start proves the plan for both', async () => {
    expect(await readsOf([note, read, read])).toEqual(['session', 'tenant']);
  });

  it('are two for reads alone', async () => {
    expect(await readsOf([read, read])).toEqual(['plan', 'session', 'tenant']);
  });
});
