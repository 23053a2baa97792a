/** One line of the benchmark: what was measured, what it must reach, and the yardstick of the same run beside it. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  /** In words and numbers, from ARCHITECTURE "Limits that must hold". */
  readonly goal: string;
  /** Null where no goal is set: a figure for the record. */
  readonly met: boolean | null;
  /** The same load on the bare thing, in `unit`; null where there is none. */
  readonly yardstick: number | null;
  /** value / yardstick. */
  readonly ratio: number | null;
}

export interface Goal {
  readonly text: string;
  readonly met: (value: number, ratio: number | null) => boolean;
}

export const atMost = (bound: number): Goal => ({ text: `≤ ${bound}`, met: (value) => value <= bound });
export const atLeast = (bound: number): Goal => ({ text: `≥ ${bound}`, met: (value) => value >= bound });
export const atLeastShare = (share: number): Goal => ({ text: `≥ ${share * 100} % of the yardstick`, met: (_, ratio) => ratio !== null && ratio >= share });
export const atMostTimes = (times: number, bound: number): Goal => ({
  text: `≤ ${times}× the yardstick and ≤ ${bound}`,
  met: (value, ratio) => value <= bound && ratio !== null && ratio <= times,
});

export function figure(value: number, unit: string, goal: Goal | undefined, yardstick: number | null = null): Figure {
  const ratio = yardstick === null || yardstick === 0 ? null : round(value / yardstick);
  return { value: round(value), unit, goal: goal?.text ?? 'for the record', met: goal ? goal.met(value, ratio) : null, yardstick: yardstick === null ? null : round(yardstick), ratio };
}

export const round = (value: number): number => Number(value.toPrecision(4));

/** @param share 0 … 1; of an unsorted sample @throws RangeError when the sample is empty: a figure must rest on something */
export function percentile(sample: readonly number[], share: number): number {
  if (sample.length === 0) throw new RangeError('no sample to take a percentile of');
  const sorted = [...sample].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
}
