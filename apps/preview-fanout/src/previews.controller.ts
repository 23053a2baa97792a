import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { StoredEvent } from '@countersign/contracts';
import { OnEvent, type Delivery, type Handled } from '@countersign/transport-jetstream';
import { Fanout } from './fanout.js';

@Controller()
export class PreviewsController {
  constructor(private readonly fanout: Fanout) {}

  @OnEvent('plan.Proposed')
  async proposed(@Payload() event: StoredEvent, @Ctx() delivery: Delivery): Promise<Handled> {
    await this.fanout.previewPlan(event, delivery);
  }
}
