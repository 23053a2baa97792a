import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { LIMITS, type Command, type DescribeProvider, type DescribedProvider } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ProviderRegistry } from '@countersign/providers';
import { OnCommand } from '@countersign/transport-jetstream';
import { REGISTRY } from './tokens.js';

/** Asks a server what it offers, before it is registered. Whether the tenant may start a process is the gateway's to check. Refuses with PROVIDER_INVALID. */
@Controller()
export class DescribeController {
  constructor(@Inject(REGISTRY) private readonly registry: ProviderRegistry) {}

  @OnCommand('describe-provider')
  async describe(@Payload() { context, endpoint }: Command<DescribeProvider>): Promise<DescribedProvider> {
    const operations = await this.registry.connect(context.tenant, endpoint).describe();
    const bytes = Buffer.byteLength(JSON.stringify(operations));
    // what no event can hold cannot be registered, and above the broker's payload it could not even be answered
    if (bytes > LIMITS.eventBytes) throw new GateError('PROVIDER_INVALID', `The catalogue has ${bytes} bytes; at most ${LIMITS.eventBytes} can be registered`);
    return { operations };
  }
}
