import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, CancelPlan, Command, EndSession, OpenSession, RevokeSessionGrant } from '@countersign/contracts';
import { OnCommand, OnTimer, type Handled, type TimerFired } from '@countersign/transport-jetstream';
import { Cancellation } from './cancellation.js';
import { PlanClock } from './plan-clock.js';
import { sessionOfTimer } from './session-clock.js';
import { SessionEnds } from './session-ends.js';
import { Sessions } from './sessions.js';

/** What begins and ends: sessions, the cancelling of plans, and time. */
@Controller()
export class LifetimeController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cancellation: Cancellation,
    private readonly clock: PlanClock,
    private readonly sessionEnds: SessionEnds,
  ) {}

  @OnCommand('open-session')
  openSession(@Payload() command: Command<OpenSession>): Promise<Accepted> {
    return this.sessions.open(command);
  }

  @OnCommand('end-session')
  endSession(@Payload() command: Command<EndSession>): Promise<Accepted> {
    return this.sessions.end(command);
  }

  @OnCommand('revoke-session-grant')
  revokeGrant(@Payload() command: Command<RevokeSessionGrant>): Promise<Accepted> {
    return this.sessions.revokeGrant(command);
  }

  @OnCommand('cancel')
  cancel(@Payload() command: Command<CancelPlan>): Promise<Accepted> {
    return this.cancellation.cancel(command);
  }

  @OnTimer()
  timerFired(@Payload() timer: TimerFired): Promise<Handled> {
    const session = sessionOfTimer(timer.name);
    return session ? this.sessionEnds.fired(session) : this.clock.fired(timer.name);
  }
}
