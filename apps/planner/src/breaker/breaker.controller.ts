import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PlanEvent, StoredEvent } from '@countersign/contracts';
import { OnEvent } from '@countersign/transport-jetstream';
import { Breaker } from './breaker.js';

/** Verdicts concern planner only where they deny. */
@Controller()
export class BreakerController {
  constructor(private readonly breaker: Breaker) {}

  @OnEvent('plan.Evaluated')
  async evaluated(@Payload() event: StoredEvent<PlanEvent>): Promise<void> {
    await this.breaker.evaluated(event);
  }
}
