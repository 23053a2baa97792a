import { ApiProperty } from '@nestjs/swagger';
import { PROVIDER_NAME_PATTERN } from '../ids.js';
import { LIMITS } from '../limits.js';
import type { ProviderEndpoint, ToolSchema } from '../tool-schema.js';
import { Nested, OneOf, Text, Texts } from './fields.js';

/** How a provider is reached. Which fields must be there depends on `transport`. */
export class EndpointRequest {
  @OneOf(['mcp-stdio', 'fake'])
  transport!: 'mcp-stdio' | 'fake';

  @Text({ optional: true, max: 1_024, description: 'mcp-stdio: the program to start' })
  command?: string;

  @Texts({ optional: true, maxItems: 200, max: 4_096, prose: true, description: 'mcp-stdio: its arguments' })
  args?: string[];

  @Texts({ optional: true, maxItems: 100, max: 200, description: 'mcp-stdio: names of environment variables to hand through; nothing else is' })
  env?: string[];

  @Text({ optional: true, max: 4_096, description: 'mcp-stdio: working directory' })
  cwd?: string;

  @OneOf(['files'], { optional: true, description: 'mcp-stdio: preview and reconcile adapter laid over the server' })
  adapter?: 'files';

  @Text({ optional: true, max: 2_000, prose: true, description: 'fake: how it behaves' })
  behaviour?: string;
}

export class RegisterProviderRequest {
  @Text({ max: 40, pattern: PROVIDER_NAME_PATTERN, example: 'files' })
  name!: string;

  @Nested(() => EndpointRequest)
  endpoint!: EndpointRequest;
}

/** A provider as it is registered now. Plans show their own snapshot, which may be older. */
export class ProviderView {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: '1, 2, … each changed registration is a new version' })
  version!: number;

  @ApiProperty()
  digest!: string;

  @ApiProperty({ type: EndpointRequest })
  endpoint!: ProviderEndpoint;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, maxItems: LIMITS.providerOperations })
  operations!: readonly ToolSchema[];

  @ApiProperty()
  registeredBy!: string;

  @ApiProperty({ format: 'date-time' })
  registeredAt!: string;

  @ApiProperty({ description: 'Position in the log of the provider’s last event' })
  sequence!: number;
}

export class ProviderListView {
  @ApiProperty({ type: [ProviderView] })
  providers!: ProviderView[];
}
