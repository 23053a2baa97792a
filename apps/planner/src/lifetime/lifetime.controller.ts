import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, CancelPlan, Command, EndSession, OpenSession } from '@countersign/contracts';
import { OnCommand, OnTimer, type Handled, type TimerFired } from '@countersign/transport-jetstream';
import { Cancellation } from './cancellation.js';
import { PlanClock } from './plan-clock.js';
import { Sessions } from './sessions.js';

/** What begins and ends: sessions, the cancelling of plans, and time. */
@Controller()
export class LifetimeController {
  constructor(private readonly sessions: Sessions, private readonly cancellation: Cancellation, private readonly clock: PlanClock) {}

  @OnCommand('open-session')
  openSession(@Payload() command: Command<OpenSession>): Promise<Accepted> {
    return this.sessions.open(command);
  }

  @OnCommand('end-session')
  endSession(@Payload() command: Command<EndSession>): Promise<Accepted> {
    return this.sessions.end(command);
  }

  @OnCommand('cancel')
  cancel(@Payload() command: Command<CancelPlan>): Promise<Accepted> {
    return this.cancellation.cancel(command);
  }

  @OnTimer()
  timerFired(@Payload() timer: TimerFired): Promise<Handled> {
    return this.clock.fired(timer.name);
  }
}
