import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { PlanEvent, StoredEvent } from '@countersign/contracts';
import { TenantShares } from '@countersign/providers';
import { OnEvent, type Delivery, type Handled } from '@countersign/transport-jetstream';
import { Fanout } from './fanout.js';

/** A quarter of the service's places (`index.ts`). */
const SLOW_PLANS_OF_A_TENANT = 256;
const LATER_MS = 500;

@Controller()
export class PreviewsController {
  private readonly shares = new TenantShares({ slowMost: SLOW_PLANS_OF_A_TENANT, slowMs: 1_000 });

  constructor(private readonly fanout: Fanout) {}

  /** Other arguments are previewed anew. */
  @OnEvent('plan.ItemCorrected')
  corrected(@Payload() event: StoredEvent<PlanEvent>, @Ctx() delivery: Delivery): Promise<Handled> {
    return this.proposed(event, delivery);
  }

  @OnEvent('plan.Proposed')
  async proposed(@Payload() event: StoredEvent<PlanEvent>, @Ctx() delivery: Delivery): Promise<Handled> {
    const leave = this.shares.enter(event.key.tenant);
    if (!leave) return { retryInMs: LATER_MS };
    await this.fanout.previewPlan(event, delivery).finally(leave);
  }
}
