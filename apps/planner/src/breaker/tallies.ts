import { keyText, type AggregateKey, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { emptyTally, tallied, type Tally } from '@countersign/domain-session';
import type { EventLog } from '@countersign/event-log';

const SESSIONS_KEPT = 2_000;

/** What counts of each session that came under suspicion, read from the log: all of it the first time in this process, then what is newer. */
export class Tallies {
  private readonly bySession = new Map<string, Tally>();

  constructor(private readonly log: Pick<EventLog, 'follow'>, private readonly sessionsKept = SESSIONS_KEPT) {}

  /** As the leader has it. @throws GateError EVENT_UNREADABLE, UNAVAILABLE */
  async of(session: AggregateKey): Promise<Tally> {
    const key = keyText(session);
    let tally = this.bySession.get(key) ?? emptyTally;
    for await (const event of this.log.follow('GATE', plansOf(session), tally.upTo)) tally = tallied(tally, event as StoredEvent<PlanEvent>);
    return this.keep(key, tally);
  }

  /** Of two that were read at the same time the later one stays. */
  private keep(key: string, tally: Tally): Tally {
    const known = this.bySession.get(key);
    this.bySession.delete(key);
    this.bySession.set(key, known && known.upTo > tally.upTo ? known : tally);
    if (this.bySession.size > this.sessionsKept) this.bySession.delete(this.bySession.keys().next().value!);
    return tally;
  }
}

/** All events of a session's plans. */
export const plansOf = ({ tenant, session }: AggregateKey): string => `evt.${tenant}.${session}.plan.>`;
