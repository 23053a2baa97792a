import {
  LIMITS, keyText, sessionKey, tenantKey, type AggregateKey, type EventMeta, type NewEvent, type PlanEvent, type SessionLimitReached, type StoredEvent,
} from '@countersign/contracts';
import { countsAsDenial, isOpen, reachLimit, tripOf, type Trip } from '@countersign/domain-session';
import { settingsOf } from '@countersign/domain-tenant';
import { causedBy, type Position } from '@countersign/event-log';
import type { ServiceLogger } from '@countersign/service-host';
import type { SessionClock } from '../lifetime/session-clock.js';
import type { PlannerStores } from '../stores.js';
import type { FinalTurn } from './final-turn.js';
import { Repetitions } from './repetitions.js';
import type { Tallies } from './tallies.js';

export interface BreakerParts {
  readonly stores: PlannerStores;
  readonly tallies: Tallies;
  readonly finalTurn: FinalTurn;
  readonly clock: SessionClock;
  readonly now: () => Date;
  readonly logger: ServiceLogger;
}

/**
 * Trips a session that is denied too often or repeats itself. What this process sees only raises suspicion, and costs nothing
 * while there is none; what counts is read from the log then, so it does not matter which process saw which part.
 */
export class Breaker {
  private readonly repetitions = new Repetitions();
  /** Sessions whose look failed, and since which sequence they are to be looked at: the next verdict looks again. */
  private readonly suspects = new Map<string, number>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly parts: BreakerParts) {}

  /** A verdict: delivered to one planner process, and again until this returns. @throws GateError UNAVAILABLE, BUSY, EVENT_UNREADABLE */
  async evaluated(event: StoredEvent<PlanEvent>): Promise<void> {
    if (event.type !== 'plan.Evaluated') return;
    const denied = event.data.items.some(({ decision, decidedBy }) => decision === 'deny' && (countsAsDenial(decidedBy) || isTripped(decidedBy)));
    const session = sessionOf(event.key);
    if (denied || this.suspects.has(keyText(session))) await this.look(event.key, event.sequence, causedBy(event, 'planner'));
  }

  /** What this process has appended itself. Nobody waits for the look; if it fails, the next verdict of the session looks again. */
  appended(key: AggregateKey, event: NewEvent, { sequence }: Position): void {
    if (!this.isSuspicious(key, event)) return;
    const look = this.look(key, sequence, { actor: 'service:planner', correlationId: event.meta.correlationId, causationId: `GATE:${sequence}` })
      .catch((error: unknown) => this.parts.logger.warn({ err: error, plan: key.id }, 'a session could not be looked at; its next verdict looks again'))
      .finally(() => this.underWay.delete(look));
    this.underWay.add(look);
  }

  /** When the looks that nobody waits for have ended. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private isSuspicious(key: AggregateKey, event: NewEvent): boolean {
    if (event.type === 'plan.Proposed') return this.repetitions.seen(sessionOf(key), event.data);
    return event.type === 'plan.ItemsAnswered' && event.data.answers.some(({ decision }) => decision === 'reject');
  }

  private async look(plan: AggregateKey, since: number, meta: EventMeta): Promise<void> {
    const key = sessionOf(plan);
    const text = keyText(key);
    const missed = this.suspects.get(text);
    const from = Math.min(since, missed ?? since);
    try {
      const { state: session } = await this.parts.stores.sessions.fresh(key);
      if (isOpen(session)) await (session.limit ? this.parts.finalTurn.judged(plan, meta) : this.count(key, from, meta));
    } catch (error) {
      this.suspects.set(text, Math.min(from, this.suspects.get(text) ?? from));
      throw error;
    }
    if (missed !== undefined && this.suspects.get(text) === missed) this.suspects.delete(text);
  }

  private async count(key: AggregateKey, since: number, meta: EventMeta): Promise<void> {
    const { stores, tallies } = this.parts;
    const settings = settingsOf((await stores.tenants.get(tenantKey(key.tenant))).state);
    if (isOff(settings)) return;
    const trip = tripOf(await tallies.of(key), settings, since);
    if (trip) await this.trip(key, trip, meta);
  }

  /** The timer that ends the session is durable before the trip is. */
  private async trip(key: AggregateKey, trip: Trip, meta: EventMeta): Promise<void> {
    const at = this.parts.now();
    const endsAt = new Date(at.getTime() + LIMITS.finalTurnMs);
    await this.parts.clock.arm(key, endsAt);
    const reached: SessionLimitReached = { ...trip, endsAt: endsAt.toISOString(), at: at.toISOString() };
    const { appended } = await this.parts.stores.sessions.transact(key, ({ state }) => reachLimit(state, reached), { meta });
    if (appended) this.parts.logger.warn({ tenant: key.tenant, session: key.session, cause: trip.cause, detail: trip.detail }, 'a session has come to its limit and has one final turn');
  }
}

const sessionOf = ({ tenant, session }: AggregateKey): AggregateKey => sessionKey(tenant, session);
const isTripped = (decidedBy: string): boolean => decidedBy === 'breaker' || decidedBy === 'loop';
const isOff = ({ breaker, doomLoop }: ReturnType<typeof settingsOf>): boolean => breaker.consecutive === 0 && breaker.count === 0 && doomLoop.repeats === 0;
