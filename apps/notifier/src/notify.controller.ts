import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PlanEvent, SessionEvent, StoredEvent } from '@countersign/contracts';
import { OnEvent } from '@countersign/transport-jetstream';
import { Notify } from './notify.js';

@Controller()
export class NotifyController {
  constructor(private readonly notify: Notify) {}

  @OnEvent('plan.Evaluated', 'plan.ItemsAnswered', 'plan.ItemsExpired')
  async plan(@Payload() event: StoredEvent<PlanEvent>): Promise<void> {
    await this.notify.plan(event);
  }

  @OnEvent('session.LimitReached')
  async session(@Payload() event: StoredEvent<SessionEvent>): Promise<void> {
    await this.notify.session(event);
  }
}
