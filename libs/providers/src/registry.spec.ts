import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@countersign/contracts';
import { fakeProviderFactory } from './fake/fake-provider.js';
import { memorySink } from './fake/effects.js';
import { leavesDoubt, failed, refused, safeText } from './failures.js';
import { callOf } from './provider-contract.js';
import type { ApplyAnswer, Provider } from './provider.js';
import { createProviderRegistry } from './registry.js';

const write = { operation: 'write_note', input: { name: 'a', text: 'b' } };
const endpoint = { transport: 'fake' } as const;

/** The fake, but with one method replaced. */
function withApply(apply: Provider['apply'], counters = { made: 0, closed: 0 }) {
  const real = fakeProviderFactory({ sink: memorySink() });
  return (given: typeof endpoint, tenant: string): Provider => {
    counters.made += 1;
    const inner = real(given, tenant);
    return {
      describe: () => inner.describe(), preview: (call) => inner.preview(call), apply, reconcile: (call) => inner.reconcile(call),
      close: async () => { counters.closed += 1; await inner.close(); },
    };
  };
}

describe('provider registry', () => {
  it('keeps one connection a tenant and endpoint', async () => {
    const counters = { made: 0, closed: 0 };
    const registry = createProviderRegistry({ fake: withApply(async () => ({ ok: true, result: null }), counters) });
    expect(registry.connect('t1', endpoint)).toBe(registry.connect('t1', { transport: 'fake' }));
    await registry.connect('t1', endpoint).describe();
    await registry.connect('t1', endpoint).describe();
    await registry.connect('t2', endpoint).describe();
    expect(counters.made).toBe(2);
    await registry.close();
    await registry.close();
    expect(counters.closed).toBe(2);
  });

  it('gives an idle connection up, and makes a new one for the next call', async () => {
    const counters = { made: 0, closed: 0 };
    const registry = createProviderRegistry({ fake: withApply(async () => ({ ok: true, result: null }), counters) }, { idleMs: 20 });
    const provider = registry.connect('t1', endpoint);
    await provider.describe();
    while (counters.closed === 0) await sleep(5);
    expect(counters).toEqual({ made: 1, closed: 1 });
    await provider.describe();
    expect(counters.made).toBe(2);
    await registry.close();
  });

  it('forgets what is idle, and lets old handles and new ones share what comes after it', async () => {
    const counters = { made: 0, closed: 0 };
    const registry = createProviderRegistry({ fake: withApply(async () => ({ ok: true, result: null }), counters) }, { idleMs: 20 });
    const old = registry.connect('t1', endpoint);
    while (counters.closed === 0) await sleep(5);
    const renewed = registry.connect('t1', endpoint);
    expect(renewed).not.toBe(old);
    await Promise.all([old.describe(), renewed.describe()]);
    expect(counters.made).toBe(2);
    await registry.close();
    expect(counters.closed).toBe(2);
  });

  it('refuses a transport nobody serves', () => {
    expect(() => createProviderRegistry({}).connect('t1', endpoint)).toThrow(expect.objectContaining({ code: 'PROVIDER_INVALID' }));
  });

  it('answers for an adapter that throws, and tells the log', async () => {
    const faults: unknown[] = [];
    const registry = createProviderRegistry({ fake: withApply(async () => { throw new Error('secret'); }) }, { onFault: (error) => faults.push(error) });
    const provider = registry.connect('t1', endpoint);
    const answer = await provider.apply(await callOf(provider, write));
    expect(answer).toMatchObject({ ok: false, error: { category: 'unknown' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(faults).toHaveLength(1);
  });

  it('answers at the deadline for an adapter that ignores its signal', async () => {
    const registry = createProviderRegistry({ fake: withApply(async () => await new Promise<ApplyAnswer>(() => undefined)) });
    const provider = registry.connect('t1', endpoint);
    const answer = await provider.apply(await callOf(provider, write, { signal: AbortSignal.timeout(50) }));
    expect(answer).toMatchObject({ ok: false, error: { category: 'timeout' } });
    expect(!answer.ok && leavesDoubt(answer)).toBe(true);
  });

  it('lets no more than the bound run at once; a call that never got its turn had no effect', async () => {
    let running = 0;
    let most = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => { release = resolve; });
    const registry = createProviderRegistry({ fake: withApply(async () => {
      running += 1;
      most = Math.max(most, running);
      await released;
      running -= 1;
      return { ok: true, result: null };
    }) });
    const provider = registry.connect('t1', endpoint);
    const call = await callOf(provider, write);
    const all = Array.from({ length: LIMITS.providerConcurrency * 2 }, () => provider.apply(call));
    const hurried = provider.apply({ ...call, signal: AbortSignal.timeout(20) });
    await hurried;
    release();
    const answers = await Promise.all([...all, hurried]);
    expect(most).toBe(LIMITS.providerConcurrency);
    expect(answers.at(-1)).toMatchObject({ ok: false, error: { category: 'timeout' }, didNotHappen: true });
    expect(answers.filter((answer) => answer.ok)).toHaveLength(LIMITS.providerConcurrency * 2);
  });

  it('asks a call whether it may still be made when it has its turn, and whether it waited for it', async () => {
    const held: (() => void)[] = [];
    let calls = 0;
    const registry = createProviderRegistry({ fake: withApply(async () => {
      calls += 1;
      await new Promise<void>((resolve) => held.push(resolve));
      return { ok: true, result: null };
    }) });
    const provider = registry.connect('t1', endpoint);
    const call = await callOf(provider, write);
    const asked: boolean[] = [];
    const first = Array.from({ length: LIMITS.providerConcurrency }, () => provider.apply({ ...call, onTurn: (waited) => asked.push(waited) > 0 }));
    const stopped = provider.apply({ ...call, onTurn: (waited) => { asked.push(waited); return false; } });
    const thrown = provider.apply({ ...call, onTurn: async () => { throw new Error('the caller’s own'); } });
    const last = provider.apply({ ...call, onTurn: () => true });
    await sleep(10);
    expect(asked).toEqual(Array.from({ length: LIMITS.providerConcurrency }, () => false));
    held.shift()!();
    expect(await stopped).toMatchObject({ ok: false, error: { category: 'cancelled' }, didNotHappen: true });
    await expect(thrown).rejects.toThrow('own');
    expect(asked.at(-1)).toBe(true);
    await sleep(10);
    expect(calls).toBe(LIMITS.providerConcurrency + 1);
    for (const release of held) release();
    expect((await Promise.all([...first, last])).every((answer) => answer.ok)).toBe(true);
  });

  it('does not pass on a result above the bound, nor an input nested too deep', async () => {
    const huge = createProviderRegistry({ fake: withApply(async () => ({ ok: true, result: 'x'.repeat(LIMITS.resultBytes + 1) })) }).connect('t1', endpoint);
    expect(await huge.apply(await callOf(huge, write))).toMatchObject({ ok: false, error: { category: 'unknown', message: expect.stringContaining('above the limit') } });
    const deep = JSON.parse('['.repeat(100) + ']'.repeat(100));
    const call = await callOf(huge, { operation: 'write_note', input: { deep } });
    expect(await huge.apply(call)).toMatchObject({ ok: false, error: { category: 'invalid_arguments' }, didNotHappen: true });
  });

  it('bounds a preview', async () => {
    const provider = createProviderRegistry({ fake: fakeProviderFactory() }).connect('t1', { transport: 'fake', behaviour: 'preview=large' });
    expect(await provider.preview(await callOf(provider, write))).toEqual({ absent: 'too_large' });
  });
});

describe('doubt', () => {
  it.each(['timeout', 'cancelled', 'process_crashed', 'unknown'] as const)('%s leaves doubt unless the call was never sent', (category) => {
    expect(leavesDoubt(failed(category, ''))).toBe(true);
    expect(leavesDoubt(refused(category, ''))).toBe(false);
  });
  it.each(['invalid_arguments', 'not_found', 'permission_denied', 'execution_failed', 'concurrency_conflict', 'precondition_failed'] as const)(
    '%s is an answer', (category) => expect(leavesDoubt(failed(category, ''))).toBe(false));
});

describe('texts', () => {
  it('keeps stacks and control characters from the model', () => {
    expect(safeText('it broke\u0007\n    at run (/srv/app/x.js:1:1)\nreally')).toBe('it broke\nreally');
    expect(safeText('y'.repeat(5_000))).toHaveLength(LIMITS.reasonChars);
  });
});
