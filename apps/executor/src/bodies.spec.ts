import { outcomeOf } from '@countersign/domain-plan';
import { unseal, type BlobStore } from '@countersign/event-log';
import { GateError, canonicalJson, digestOf } from '@countersign/kernel';
import { allow, deliveryOf, specWorld, TENANT } from './spec-support/world.js';

const large = { provider: 'a', operation: 'write_note', input: { name: 'n', text: 'y'.repeat(40_000) } };
const small = { provider: 'a', operation: 'write_note' };
type World = Awaited<ReturnType<typeof specWorld>>;
const endsOf = async (world: World): Promise<unknown[]> => [...(await world.plan()).items.values()].map(outcomeOf);
const unavailable = async (): Promise<never> => { throw new GateError('UNAVAILABLE', 'the store is away'); };
const over = (blobs: BlobStore, change: Partial<BlobStore>): BlobStore => ({ put: (...args) => blobs.put(...args), get: (...args) => blobs.get(...args), ...change });

describe('stored bodies', () => {
  it('that cannot be read for a moment begin nothing and end nothing', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([large, small]);
    const evaluated = await world.judge(allow('i1'), allow('i2'));
    const away = over(world.blobs, { get: unavailable });
    await expect(world.executor('e1', { blobs: away }).handle(evaluated, deliveryOf(evaluated))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(world.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated']);
    await world.executor('e2').handle(evaluated, deliveryOf(evaluated, 2));
    expect(await endsOf(world)).toEqual(['applied', 'applied']);
  });

  it('that are gone keep the call from being made, the output schema as well', async () => {
    const world = await specWorld({ a: '' }, (schema) => ({ ...schema, outputSchema: { $comment: 'z'.repeat(40_000) } }));
    await world.propose([small]);
    const evaluated = await world.judge(allow('i1'));
    world.blobs.lose('BLOBS', TENANT, (await world.plan()).items.get('i1')!.operation.outputSchema!.digest);
    await world.executor().handle(evaluated, deliveryOf(evaluated));
    expect(world.calls).toEqual([]);
    expect((await world.plan()).items.get('i1')!.outcome).toMatchObject({ outcome: 'failed', error: { message: 'The stored output schema cannot be read; the call was not made' } });
  });
});

describe('results that cannot be stored', () => {
  const largeRead = { provider: 'a', operation: 'echo_read', input: { text: 'x'.repeat(40_000) } };

  it('are kept when the store comes back', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([largeRead]);
    const evaluated = await world.judge(allow('i1'));
    let tries = 0;
    const back = over(world.blobs, { put: async (...args) => { if ((tries += 1) < 3) await unavailable(); else await world.blobs.put(...args); } });
    await world.executor('e1', { blobs: back }).handle(evaluated, deliveryOf(evaluated));
    expect(await unseal((await world.plan()).items.get('i1')!.outcome!.result!, { blobs: world.blobs, tenant: TENANT })).toEqual(largeRead.input);
  });

  it('do not take the outcome with them when the lease ends first: digest and size stay', async () => {
    const world = await specWorld({ a: '' });
    await world.propose([largeRead]);
    const evaluated = await world.judge(allow('i1'));
    const lease = new AbortController();
    const away = over(world.blobs, { put: async () => { setTimeout(() => lease.abort(), 10); await unavailable(); } });
    await world.executor('e1', { blobs: away }).handle(evaluated, deliveryOf(evaluated, 1, lease));
    const { outcome, result } = (await world.plan()).items.get('i1')!.outcome!;
    expect(outcome).toBe('applied');
    expect(result).toEqual({ digest: digestOf(largeRead.input), bytes: Buffer.byteLength(canonicalJson(largeRead.input)), store: 'RESULTS' });
    expect(world.warnings.length).toBeGreaterThan(1);
  });
});
