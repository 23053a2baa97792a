import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderEndpoint } from '@countersign/contracts';
import { callOf, providerContract, type ProviderUnderTest } from '../provider-contract.js';
import type { Provider } from '../provider.js';
import { fileSink, memorySink } from './effects.js';
import { fakeProviderFactory } from './fake-provider.js';

const write = { operation: 'write_note', input: { name: 'a', text: 'b' } };
const make = (behaviour: string, sink = memorySink(), effectsFolder?: string): Provider =>
  fakeProviderFactory({ sink, ...(effectsFolder ? { effectsFolder } : {}) })({ transport: 'fake', behaviour } satisfies ProviderEndpoint, 't1');

providerContract('fake', contractOf('', { previews: true, reconciles: false }));
providerContract('fake, without previews, reconcilable', contractOf('previewable=no&reconcilable', { previews: false, reconciles: true }));

function contractOf(behaviour: string, can: Pick<ProviderUnderTest, 'previews' | 'reconciles'>): () => Promise<ProviderUnderTest> {
  return async () => {
    const sink = memorySink();
    return {
      ...can,
      healthy: async () => ({ provider: make(behaviour, sink), effects: async () => sink.all().length }),
      hanging: async () => make('apply=hang'),
      crashing: async () => make('apply=crash'),
      garbling: async () => make('apply=garbage'),
      read: { operation: 'echo_read', input: { text: 'hello' } },
      write,
    };
  };
}

describe('fake provider', () => {
  it('counts effects in a file that outlives it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fake-'));
    const provider = make('effects=one.jsonl', undefined, folder);
    await provider.apply(await callOf(provider, write, { key: 'k1' }));
    await provider.apply(await callOf(provider, write, { key: 'k1' }));
    expect(fileSink(join(folder, 'one.jsonl')).all().map((effect) => effect.key)).toEqual(['k1', 'k1']);
  });

  it.each(['/etc/passwd', '../outside', 'a/b', '.hidden'])('writes nowhere but into its folder: %s', (name) => {
    const refusal = expect.objectContaining({ code: 'PROVIDER_INVALID' });
    expect(() => make(`effects=${encodeURIComponent(name)}`, undefined, tmpdir())).toThrow(refusal);
    expect(() => make('effects=plain.jsonl')).toThrow(refusal);
  });

  it('enforces the key when told so', async () => {
    const sink = memorySink();
    const provider = make('keyed', sink);
    const first = await provider.apply(await callOf(provider, write));
    expect(await provider.apply(await callOf(provider, write))).toEqual(first);
    expect(sink.all()).toHaveLength(1);
  });

  it('knows after a crash whether the effect took place', async () => {
    const before = make('apply=crash&reconcilable');
    await before.apply(await callOf(before, write));
    expect(await before.reconcile(await callOf(before, write))).toEqual({ found: 'not_applied' });
    const after = make('apply=crash-after&reconcilable');
    await after.apply(await callOf(after, write));
    expect(await after.reconcile(await callOf(after, write))).toEqual({ found: 'applied', result: { noted: 'a' } });
  });
});
