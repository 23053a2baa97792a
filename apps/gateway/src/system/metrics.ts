/** Counts and sums only of what this process did itself; Prometheus text. */
export class Metrics {
  private readonly answers = new Map<string, number>();
  private readonly durations = new Map<string, { count: number; seconds: number; buckets: number[] }>();
  private readonly gauges = new Map<string, () => number>();

  /** @param route path pattern; undefined for a path that is none of ours */
  answered(method: string, route: string | undefined, status: number, durationMs: number): void {
    const where = `method="${method}",route="${route ?? 'none'}"`;
    add(this.answers, `${where},status="${status}"`);
    const seen = this.durations.get(where) ?? { count: 0, seconds: 0, buckets: BUCKETS_S.map(() => 0) };
    this.durations.set(where, seen);
    seen.count += 1;
    seen.seconds += durationMs / 1_000;
    BUCKETS_S.forEach((limit, index) => { if (durationMs / 1_000 <= limit) seen.buckets[index]! += 1; });
  }

  gauge(name: string, read: () => number): void {
    this.gauges.set(name, read);
  }

  text(): string {
    const lines = ['# TYPE countersign_http_responses_total counter'];
    for (const [labels, count] of this.answers) lines.push(`countersign_http_responses_total{${labels}} ${count}`);
    lines.push('# TYPE countersign_http_response_seconds histogram');
    for (const [where, seen] of this.durations) {
      BUCKETS_S.forEach((limit, index) => lines.push(`countersign_http_response_seconds_bucket{${where},le="${limit}"} ${seen.buckets[index]}`));
      lines.push(`countersign_http_response_seconds_bucket{${where},le="+Inf"} ${seen.count}`, `countersign_http_response_seconds_sum{${where}} ${seen.seconds}`, `countersign_http_response_seconds_count{${where}} ${seen.count}`);
    }
    for (const [name, read] of this.gauges) lines.push(`# TYPE ${name} gauge`, `${name} ${read()}`);
    return `${lines.join('\n')}\n`;
  }
}

/** Cumulative, in seconds. Held answers are in the last ones. */
const BUCKETS_S = [0.005, 0.015, 0.05, 0.25, 1, 5, 60] as const;

const add = (counts: Map<string, number>, name: string): void => { counts.set(name, (counts.get(name) ?? 0) + 1); };
