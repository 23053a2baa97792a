import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { OnOutbox, type Delivery, type Handled, type LogMessage } from '@countersign/transport-jetstream';
import { Deliver } from './deliver.js';

@Controller()
export class DeliverController {
  constructor(private readonly deliver: Deliver) {}

  @OnOutbox()
  async due(@Payload() message: LogMessage, @Ctx() delivery: Delivery): Promise<Handled> {
    return await this.deliver.handle(message, delivery);
  }
}
