/**
 * What an endpoint's `behaviour` string may say, in the syntax of a URL's query, e.g. `apply=crash-after&effects=one.jsonl&keyed`.
 * Names what no part of the gate knows of a real provider in advance: how its server fares.
 */
export interface FakeBehaviour {
  /**
   * What becomes of an apply. `crash` and `hang` come before the effect, `crash-after` and `hang-after` after it;
   * `garbage` answers what fits no schema; `fail` is a plain failure; `refuse` a retryable one that had no effect;
   * `flaky` refuses the first two calls of each key.
   */
  readonly apply: 'ok' | 'hang' | 'hang-after' | 'crash' | 'crash-after' | 'garbage' | 'fail' | 'refuse' | 'flaky' | 'throw';
  readonly preview: 'ok' | 'hang' | 'crash' | 'unsupported' | 'large' | 'throw';
  /** Milliseconds before each answer. */
  readonly slowMs: number;
  readonly previewSlowMs: number;
  /**
   * Name of the file that effects are appended to, one JSON object a line; survives the death of the process. It lies
   * in the folder that the gate was started with (COUNTERSIGN_FAKE_EFFECTS).
   */
  readonly effects?: string;
  /** Refuses no second call with the same key, but repeats its answer without a second effect. */
  readonly keyed: boolean;
  readonly reconcilable: boolean;
  readonly idempotent: boolean;
  /** Its operations may run beside each other. */
  readonly safe: boolean;
  /** Its resource operations have a preview. Default true. */
  readonly previewable: boolean;
}

export function parseBehaviour(text: string = ''): FakeBehaviour {
  const given = new URLSearchParams(text);
  const flag = (name: string): boolean => given.has(name) && given.get(name) !== 'no';
  const number = (name: string): number => Math.max(0, Number(given.get(name) ?? 0) || 0);
  const effects = given.get('effects');
  return {
    apply: (given.get('apply') ?? 'ok') as FakeBehaviour['apply'],
    preview: (given.get('preview') ?? 'ok') as FakeBehaviour['preview'],
    slowMs: number('slow'),
    previewSlowMs: number('preview-slow'),
    ...(effects ? { effects } : {}),
    keyed: flag('keyed'),
    reconcilable: flag('reconcilable'),
    idempotent: flag('idempotent'),
    safe: flag('safe'),
    previewable: given.get('previewable') !== 'no',
  };
}
