const DURATION = /^([1-9]\d{0,5})([smhd])$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 } as const;

/**
 * A moment as people write it: RFC 3339, or how far it is from now (`90s`, `30m`, `8h`, `7d`).
 * @param now RFC 3339. @param sign 1: durations lie ahead, -1: behind. Undefined when it is neither, or no date we can say. RFC 3339, UTC.
 */
export function momentFrom(text: string, now: string, sign: 1 | -1): string | undefined {
  const duration = DURATION.exec(text);
  const ms = duration
    ? Date.parse(now) + sign * Number(duration[1]) * UNIT_MS[duration[2] as keyof typeof UNIT_MS]
    : /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return ms >= 0 && ms < LAST_MS ? new Date(ms).toISOString() : undefined;
}

/** Years have four digits in what is compared as text. */
const LAST_MS = Date.parse('9999-12-31T00:00:00Z');
