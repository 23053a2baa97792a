import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { LIMITS, type Evaluated, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { OnEvent } from '@countersign/transport-jetstream';
import { PlanClock } from '../lifetime/plan-clock.js';
import { Breaker } from './breaker.js';

/** Verdicts concern planner where they deny, and where they ask for less time than the plan's timer is set to. */
@Controller()
export class BreakerController {
  constructor(private readonly breaker: Breaker, private readonly clock: PlanClock) {}

  @OnEvent('plan.Evaluated')
  async evaluated(@Payload() event: StoredEvent<PlanEvent>): Promise<void> {
    await this.breaker.evaluated(event);
    if (event.type === 'plan.Evaluated' && expiresSoon(event.data)) await this.clock.advance(event.key, { correlationId: event.key.id });
  }
}

/** Before the timer that was set when the plan was proposed. */
const expiresSoon = ({ items, evaluatedAt }: Evaluated): boolean =>
  items.some(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) - Date.parse(evaluatedAt) < LIMITS.verdictMs);
