import { keyText, type AggregateKey, type Proposed } from '@countersign/contracts';

/** Sessions of which the last call is kept in mind. */
const SESSIONS_KEPT = 20_000;

/**
 * The last call that this process has seen of each session. It only raises suspicion: calls that other processes have
 * proposed in between are not in here, nor those of before a start.
 */
export class Repetitions {
  private readonly last = new Map<string, string>();

  constructor(private readonly sessionsKept = SESSIONS_KEPT) {}

  /** Whether the plan holds a call that is the same as the one before it. */
  seen(session: AggregateKey, { items }: Proposed): boolean {
    const key = keyText(session);
    let before = this.last.get(key);
    let repeated = false;
    for (const { operation, input } of items) {
      const call = `${operation} ${input.digest}`;
      repeated ||= call === before;
      before = call;
    }
    this.keep(key, before);
    return repeated;
  }

  private keep(key: string, call: string | undefined): void {
    if (call === undefined) return;
    this.last.delete(key);
    this.last.set(key, call);
    if (this.last.size > this.sessionsKept) this.last.delete(this.last.keys().next().value!);
  }
}
