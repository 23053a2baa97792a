import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { PlanEvent, StoredEvent } from '@countersign/contracts';
import { OnEvent, type Delivery, type Handled } from '@countersign/transport-jetstream';
import { ApplyPlan } from './apply-plan.js';

/** Only verdicts and answers can make an item ready; a closing can only end what has not begun. A proposal is kept in mind, so that its verdicts need not look it up. */
@Controller()
export class ApplyController {
  constructor(private readonly applyPlan: ApplyPlan) {}

  @OnEvent('plan.Proposed')
  proposed(@Payload() event: StoredEvent<PlanEvent>): void {
    this.applyPlan.observe(event);
  }

  @OnEvent('plan.Evaluated', 'plan.ItemsAnswered')
  async decided(@Payload() event: StoredEvent<PlanEvent>, @Ctx() delivery: Delivery): Promise<Handled> {
    return await this.applyPlan.handle(event, delivery);
  }

  @OnEvent('plan.Closed')
  async closed(@Payload() event: StoredEvent<PlanEvent>): Promise<Handled> {
    return await this.applyPlan.closed(event);
  }
}
