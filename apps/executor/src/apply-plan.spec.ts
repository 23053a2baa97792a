import { LIMITS, planKey } from '@countersign/contracts';
import { outcomeOf } from '@countersign/domain-plan';
import { InMemoryEventLog, unseal } from '@countersign/event-log';
import { createProviderRegistry } from '@countersign/providers';
import { planFacts } from '@countersign/testkit';
import { SESSION, TENANT, allow, deliveryOf, specWorld } from './spec-support/world.js';

const note = (provider: string) => ({ provider, operation: 'write_note' });
const read = (provider: string, text = 'hello') => ({ provider, operation: 'echo_read', input: { text } });
type World = Awaited<ReturnType<typeof specWorld>>;
const endsOf = async (world: World): Promise<unknown[]> => [...(await world.plan()).items.values()].map(outcomeOf);
const errorsOf = async (world: World): Promise<unknown[]> => [...(await world.plan()).items.values()].map((item) => item.outcome?.error?.category);
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const eventTypes = (world: World): string[] => world.events().map((event) => event.type);

describe('applying a plan', () => {
  it('starts all resource items with one event, ends all with one, in plan order', async () => {
    const world = await specWorld({ a: 'slow=20', b: '' });
    await world.propose([note('a'), note('b'), read('b'), note('b')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'), allow('i3'), allow('i4'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(await endsOf(world)).toEqual(['applied', 'applied', 'applied', 'applied']);
    const starts = world.events().filter((event) => event.type === 'plan.ApplyStarted');
    expect(starts).toHaveLength(1);
    expect(starts[0]!.data).toMatchObject({ attempts: [{ itemId: 'i1' }, { itemId: 'i2' }, { itemId: 'i4' }], lease: { stream: 'GATE', sequence: evaluated.sequence, executor: 'e1' } });
    for (const event of world.events()) {
      if (event.type !== 'plan.Outcomes') continue;
      const ids = event.data.outcomes.map((outcome) => outcome.itemId);
      expect(ids).toEqual([...ids].sort());
    }
    expect(world.sink.all()).toHaveLength(3);
  });

  it('appends a start and an end, no more, when everything is quick', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note('a'), note('a'), read('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'), allow('i3'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(eventTypes(world)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ApplyStarted', 'plan.Outcomes']);
  });

  it('needs no start for reads', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([read('a'), read('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(eventTypes(world)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.Outcomes']);
  });

  it('never calls what is denied, asked or not judged, and goes ahead with the rest', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note('a'), note('a'), note('a'), note('a'), read('a')]);
    const evaluated = await world.judge(planFacts.verdict('i1', 'deny'), planFacts.verdict('i2', 'ask'), allow('i3'), planFacts.verdict('i5', 'deny'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.calls).toEqual(['apply a/write_note n3']);
    expect(await endsOf(world)).toEqual(['denied', undefined, 'applied', undefined, 'denied']);
    const answered = await world.append(world.logs.planner, planFacts.answered(planFacts.answer('i2', 'approve')));
    await world.executor().handle(answered, deliveryOf(answered));
    expect(world.calls).toEqual(['apply a/write_note n3', 'apply a/write_note n2']);
  });

  it('does nothing the second time', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note('a'), read('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    const before = world.events().length;
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect(world.events()).toHaveLength(before);
    expect(world.calls).toHaveLength(2);
  });

  it('lets one of two executors win', async () => {
    const world = await specWorld({ a: 'slow=5' });
    await world.propose([note('a'), note('a'), note('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'), allow('i3'));
    await Promise.all(['e1', 'e2', 'e3'].map(async (name) => await world.executor(name).handle(evaluated, deliveryOf(evaluated))));
    expect(world.sink.all()).toHaveLength(3);
    expect(world.events().filter((event) => event.type === 'plan.ApplyStarted')).toHaveLength(1);
    expect(await endsOf(world)).toEqual(['applied', 'applied', 'applied']);
  });

  it('calls a read once in a process, though two messages make it ready', async () => {
    const world = await specWorld({ a: 'slow=30' });
    await world.propose([read('a'), note('a')]);
    const first = await world.judge(allow('i1'), planFacts.verdict('i2', 'ask'));
    const answered = await world.append(world.logs.planner, planFacts.answered(planFacts.answer('i2', 'approve')));
    const executor = world.executor();
    await Promise.all([executor.handle(first, deliveryOf(first)), executor.handle(answered, deliveryOf(answered))]);
    expect(world.calls.filter((call) => call.includes('echo_read'))).toHaveLength(1);
    expect(await endsOf(world)).toEqual(['applied', 'applied']);
  });

  it('starts nothing once the session has ended', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note('a'), read('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    await world.endSession();
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.calls).toEqual([]);
    expect(await endsOf(world)).toEqual(['skipped', 'skipped']);
    expect(await errorsOf(world)).toEqual(['cancelled', 'cancelled']);
  });

  it('does not call what waited for its lock while the session ended', async () => {
    const world = await specWorld({ a: 'slow=500' });
    await world.propose([note('a'), note('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    const handled = world.executor().handle(evaluated, deliveryOf(evaluated));
    while (world.calls.length === 0) await soon();
    await world.endSession();
    await handled;
    expect(await endsOf(world)).toEqual(['applied', 'skipped']);
    expect(world.sink.all()).toHaveLength(1);
  });

  it('stores a large result beside the log, and gives it back whole', async () => {
    const world = await specWorld({ a: '' });
    const text = 'x'.repeat(40_000);
    await world.propose([read('a', text)]);
    const evaluated = await world.judge(allow('i1'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    const result = (await world.plan()).items.get('i1')!.outcome!.result!;
    expect(result).toMatchObject({ store: 'RESULTS' });
    expect(result.value).toBeUndefined();
    expect(await unseal(result, { blobs: world.blobs, tenant: TENANT })).toEqual({ text });
  });

  it('fails an item whose stored input is gone, without a call', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([{ provider: 'a', operation: 'write_note', input: { name: 'n', text: 'y'.repeat(40_000) } }, note('a')]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    world.blobs.lose('BLOBS', TENANT, (await world.plan()).items.get('i1')!.proposed.input.digest);
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(await endsOf(world)).toEqual(['failed', 'applied']);
    expect(world.calls).toEqual(['apply a/write_note n2']);
  });

  it('fits many long errors into events', async () => {
    const world = await specWorld({ a: 'apply=fail&safe' });
    await world.propose(Array.from({ length: 300 }, () => note('a')));
    const evaluated = await world.judge(...Array.from({ length: 300 }, (_, index) => allow(`i${index + 1}`)));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(new Set(await endsOf(world))).toEqual(new Set(['failed']));
    expect(world.calls).toHaveLength(300);
  });
});

describe('the largest plan', () => {
  it('is applied whole, each item once', async () => {
    const world = await specWorld({ a: '' });
    const ids = Array.from({ length: LIMITS.planItems }, (_, index) => `i${index + 1}`);
    await world.propose(ids.map(() => ({ provider: 'a', operation: 'noop', input: {} })));
    const evaluated = await world.judge(...ids.map(allow));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(new Set(await endsOf(world))).toEqual(new Set(['applied']));
    expect(new Set(world.sink.all().map((effect) => effect.key)).size).toBe(LIMITS.planItems);
    expect(world.sink.all()).toHaveLength(LIMITS.planItems);
  });
});

describe('concurrency', () => {
  /** Most calls of the provider that ran at once. */
  async function most(behaviour: string, operation: string, plans: number, keyFields?: string[]): Promise<number> {
    const world = await specWorld({ a: behaviour }, (schema) => (keyFields && schema.name === operation ? { ...schema, concurrency: { safe: false, keyFields } } : schema));
    const executor = world.executor();
    const evaluated = [];
    for (let index = 0; index < plans; index += 1) {
      const plan = planKey(TENANT, `${SESSION}-p0000000${index}cc`);
      await world.propose([note('a'), note('a')].map((item) => ({ ...item, operation })), plan);
      evaluated.push(await world.append(world.logs.policy, planFacts.evaluated(allow('i1'), allow('i2')), plan));
    }
    await Promise.all(evaluated.map(async (event) => await executor.handle(event, deliveryOf(event))));
    expect(world.sink.all()).toHaveLength(plans * 2);
    return world.peak();
  }

  it('runs resource items of one provider one at a time, across the plans of a session', async () => {
    expect(await most('slow=20', 'write_note', 3)).toBe(1);
  });
  it('runs them beside each other where the operation is safe', async () => {
    expect(await most('slow=20&safe', 'write_note', 1)).toBe(2);
  });
  it('runs items of different keys beside each other', async () => {
    expect(await most('slow=20', 'write_note', 1, ['name'])).toBe(2);
    expect(await most('slow=20', 'write_note', 1, ['absent'])).toBe(1);
  });
});

describe('failures', () => {
  async function applyOne(behaviour: string, item = note('a'), change?: Parameters<typeof specWorld>[1]): Promise<World> {
    const world = await specWorld({ a: behaviour }, change);
    await world.propose([item]);
    const evaluated = await world.judge(allow('i1'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    return world;
  }
  const impatient: Parameters<typeof specWorld>[1] = (schema) => ({ ...schema, timeoutMs: 600 });

  it.each([
    ['a plain failure', 'apply=fail', 'failed', 'execution_failed', 1, 0],
    ['a busy provider, not idempotent: one try', 'apply=refuse', 'failed', 'concurrency_conflict', 1, 0],
    ['a busy provider, idempotent: three tries', 'apply=refuse&idempotent', 'failed', 'concurrency_conflict', 3, 0],
    ['a provider that is busy twice, idempotent', 'apply=flaky&idempotent', 'applied', undefined, 3, 1],
    ['a crash in mid-call, nothing known', 'apply=crash-after', 'indeterminate', 'process_crashed', 1, 1],
    ['a crash in mid-call, idempotent but in doubt', 'apply=crash-after&idempotent', 'indeterminate', 'process_crashed', 1, 1],
    ['a crash after the effect, reconcilable', 'apply=crash-after&reconcilable', 'applied', undefined, 1, 1],
    ['a crash before the effect, reconcilable', 'apply=crash&reconcilable', 'failed', 'process_crashed', 1, 0],
    ['a crash before the effect, reconcilable and idempotent', 'apply=crash&reconcilable&idempotent', 'failed', 'process_crashed', 3, 0],
    ['crashes, the key enforced', 'apply=crash-after&keyed', 'indeterminate', 'process_crashed', 3, 1],
    ['a result that fits no schema', 'apply=garbage', 'failed', 'unknown', 1, 1],
    ['an adapter that throws', 'apply=throw', 'indeterminate', 'unknown', 1, 0],
    ['a hang', 'apply=hang', 'indeterminate', 'timeout', 1, 0],
    ['a hang, reconcilable', 'apply=hang-after&reconcilable', 'applied', undefined, 1, 1],
  ])('resource: %s', async (_, behaviour, outcome, category, calls, effects) => {
    const world = await applyOne(behaviour, note('a'), impatient);
    expect(await endsOf(world)).toEqual([outcome]);
    expect(await errorsOf(world)).toEqual([category]);
    expect(world.calls.filter((call) => call.startsWith('apply'))).toHaveLength(calls);
    expect(world.sink.all()).toHaveLength(effects);
  });

  it.each([
    ['a busy provider', 'apply=refuse', 'failed', 3], ['crashes', 'apply=crash', 'failed', 3],
    ['busy twice', 'apply=flaky', 'applied', 3], ['a hang: no time is left', 'apply=hang', 'failed', 1], ['a result that fits no schema', 'apply=garbage', 'failed', 1],
  ])('read: %s', async (_, behaviour, outcome, calls) => {
    const world = await applyOne(behaviour, read('a'), (schema) => ({ ...schema, timeoutMs: 1_000 }));
    expect(await endsOf(world)).toEqual([outcome]);
    expect(world.calls).toHaveLength(calls);
  });

  it('is not held up by a pattern of the output schema that would run for ever on what the provider says', async () => {
    const stuck: Parameters<typeof specWorld>[1] = (schema) => ({ ...schema, outputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } } });
    const began = performance.now();
    const world = await applyOne('', read('a', `${'a'.repeat(50)}b`), stuck);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await errorsOf(world)).toEqual(['unknown']);
  });

  it('does not give the model what fits no schema', async () => {
    const world = await applyOne('apply=garbage');
    expect((await world.plan()).items.get('i1')!.outcome!.result).toBeUndefined();
  });

  it('passes the fingerprint of the approved preview on', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note('a')]);
    await world.append(new InMemoryEventLog('preview-fanout', world.broker), planFacts.previewed(planFacts.previewTree('i1', 'x', 'seen')));
    const evaluated = await world.judge(allow('i1'));
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.events().find((event) => event.type === 'plan.ApplyStarted')!.data).toMatchObject({ attempts: [{ expectedFingerprint: 'seen' }] });
  });

  it('fails what names a provider that this build cannot reach, without a call', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([note('a')]);
    const evaluated = await world.judge(allow('i1'));
    world.registry.connect = createProviderRegistry({}).connect;
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(await endsOf(world)).toEqual(['failed']);
    expect(world.calls).toEqual([]);
  });
});
