import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { StoredEvent } from '@countersign/contracts';
import { OnEvent, type Delivery, type Handled } from '@countersign/transport-jetstream';
import { ApplyPlan } from './apply-plan.js';

/** Only these can make an item ready; expiry, closing and a proposal allow nothing. */
@Controller()
export class ApplyController {
  constructor(private readonly applyPlan: ApplyPlan) {}

  @OnEvent('plan.Evaluated', 'plan.ItemsAnswered')
  async decided(@Payload() event: StoredEvent, @Ctx() delivery: Delivery): Promise<Handled> {
    return await this.applyPlan.handle(event, delivery);
  }
}
