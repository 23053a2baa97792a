import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@countersign/contracts';

/** One change of the fake provider's world. */
export interface FakeEffect {
  readonly key: string;
  readonly operation: string;
  readonly input: JsonObject;
}

/** Where effects are counted. A second effect of the same key is what the gate must never cause by itself. */
export interface EffectSink {
  record(effect: FakeEffect): void;
  has(key: string): boolean;
  all(): readonly FakeEffect[];
}

export function memorySink(): EffectSink {
  const effects: FakeEffect[] = [];
  const keys = new Set<string>();
  return {
    record: (effect) => {
      effects.push(effect);
      keys.add(effect.key);
    },
    has: (key) => keys.has(key),
    all: () => effects,
  };
}

/** Appended synchronously with O_APPEND, so that several processes may write and a killed one loses nothing it did. */
export function fileSink(path: string): EffectSink {
  const all = (): FakeEffect[] => (existsSync(path)
    ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as FakeEffect)
    : []);
  return {
    record: (effect) => appendFileSync(path, `${JSON.stringify(effect)}\n`),
    has: (key) => all().some((effect) => effect.key === key),
    all,
  };
}

/** Counts and keeps nothing: for benchmarks of any length. Knows no key, so it cannot stand behind `keyed` or `reconcilable`. */
export function countingSink(): EffectSink & { readonly count: number } {
  const sink = { count: 0, record: (): void => { sink.count += 1; }, has: (): boolean => false, all: (): readonly FakeEffect[] => [] };
  return sink;
}
