import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { LogStream } from '@countersign/contracts';
import type { ServiceInfra } from '@countersign/service-host';
import { AuditController } from './audit.controller.js';
import { AuditService, type AuditedStream } from './audit-service.js';
import { LogTail } from './log-tail.js';
import { Projector } from './projector.js';
import { StoreAccess } from './store-access.js';

@Module({})
export class AuditModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(AuditService) private readonly audit: AuditService) {}

  /** @throws Error when the configuration names no database */
  static register(infra: ServiceInfra): DynamicModule {
    if (!infra.config.database) throw new Error('The audit’s configuration does not say where its database is: database.url, database.passwords');
    const access = new StoreAccess(infra.config.database, infra.logger);
    const streamed = (stream: LogStream): AuditedStream => {
      const tail = new LogTail(stream, infra.broker, infra.log);
      return { tail, projector: new Projector(tail, access, infra.logger, infra.now) };
    };
    return {
      module: AuditModule,
      controllers: [AuditController],
      providers: [{ provide: AuditService, useValue: new AuditService({ GATE: streamed('GATE'), CATALOG: streamed('CATALOG') }, access, infra.logger) }],
    };
  }

  onApplicationBootstrap(): void {
    this.audit.start();
  }

  /** After the transport has drained; the batch that is being written is finished and acknowledged. */
  async onApplicationShutdown(): Promise<void> {
    await this.audit.stop();
  }
}
