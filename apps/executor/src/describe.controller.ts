import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Command, DescribeProvider, DescribedProvider } from '@countersign/contracts';
import type { ProviderRegistry } from '@countersign/providers';
import { OnCommand } from '@countersign/transport-jetstream';
import { REGISTRY } from './tokens.js';

/** Asks a server what it offers, before it is registered. Whether the tenant may start a process is the gateway's to check. */
@Controller()
export class DescribeController {
  constructor(@Inject(REGISTRY) private readonly registry: ProviderRegistry) {}

  @OnCommand('describe-provider')
  async describe(@Payload() { context, endpoint }: Command<DescribeProvider>): Promise<DescribedProvider> {
    return { operations: await this.registry.connect(context.tenant, endpoint).describe() };
  }
}
