import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { PlanEvent, StoredEvent } from '@countersign/contracts';
import { OnEvent, type Delivery, type Handled } from '@countersign/transport-jetstream';
import { Grants } from './grants/grants.js';
import { Evaluation } from './judging/evaluation.js';

/** What planner and preview-fanout say of plans; votes, expiry and closing make nothing ready to be judged. */
@Controller()
export class JudgingController {
  constructor(private readonly evaluation: Evaluation, private readonly grants: Grants) {}

  @OnEvent('plan.Proposed', 'plan.ItemCorrected')
  asked(@Payload() event: StoredEvent<PlanEvent>, @Ctx() delivery: Delivery): Promise<Handled> {
    return this.evaluation.asked(event, delivery);
  }

  @OnEvent('plan.Previewed')
  previewed(@Payload() event: StoredEvent<PlanEvent>, @Ctx() delivery: Delivery): Promise<Handled> {
    return this.evaluation.previewed(event, delivery);
  }

  @OnEvent('plan.ItemsAnswered')
  answered(@Payload() event: StoredEvent<PlanEvent>): Promise<void> {
    return this.grants.answered(event);
  }
}
