import { sessionKey, type AggregateKey } from '@countersign/contracts';
import type { Timers } from '@countersign/event-log';

/** The broker's clock and ours may differ. */
const LEAST_WAIT_MS = 250;

/** Sets a session's one durable timer, `session.<tenant>.<session>`: for the end of its final turn, then for what is left to close. */
export class SessionClock {
  constructor(private readonly timers: Timers, private readonly now: () => Date) {}

  arm(key: AggregateKey, at: Date): Promise<void> {
    return this.timers.set(`session.${key.tenant}.${key.session}`, new Date(Math.max(at.getTime(), this.now().getTime() + LEAST_WAIT_MS)));
  }
}

/** The session that a timer is for; undefined: it is none of a session. */
export function sessionOfTimer(name: string): AggregateKey | undefined {
  const [kind, tenant, session, ...more] = name.split('.');
  return kind === 'session' && tenant && session && more.length === 0 ? sessionKey(tenant, session) : undefined;
}

