import { Module, type DynamicModule } from '@nestjs/common';
import { planFold } from '@countersign/domain-plan';
import { createAggregateStore } from '@countersign/event-log';
import { JetStreamOutbox } from '@countersign/event-log-jetstream';
import { guardedFetch } from '@countersign/outbound';
import type { ServiceInfra } from '@countersign/service-host';
import { DeliverController } from './deliveries/deliver.controller.js';
import { Deliver } from './deliveries/deliver.js';
import { linksTo } from './notices/links.js';
import { NotifyController } from './notify.controller.js';
import { Notify } from './notify.js';
import { Webhooks } from './webhooks.js';

@Module({})
export class NotifierModule {
  static register({ config, log, broker, logger, now }: ServiceInfra): DynamicModule {
    const { outboundKey, publicUrl } = config;
    if (outboundKey === undefined) throw new Error('The notifier signs what it sends, and its configuration has no outboundKey');
    const webhooks = new Webhooks(log);
    const outbox = new JetStreamOutbox({ connection: broker.connection, apiPrefix: broker.apiPrefix });
    return {
      module: NotifierModule,
      controllers: [NotifyController, DeliverController],
      providers: [
        { provide: Notify, useValue: new Notify(webhooks, createAggregateStore(log, planFold), outbox, linksTo(publicUrl)) },
        { provide: Deliver, useValue: new Deliver({ webhooks, fetch: guardedFetch, outboundKey, logger, now }) },
      ],
    };
  }
}
