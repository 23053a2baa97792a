import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, Command, IssueKey, RegisterProvider, RegisterTenant, RemoveProvider, RevokeKey } from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { Providers } from './providers.js';
import { Tenants } from './tenants.js';

@Controller()
export class RegistrationController {
  constructor(private readonly tenants: Tenants, private readonly providers: Providers) {}

  @OnCommand('register-tenant')
  registerTenant(@Payload() command: Command<RegisterTenant>): Promise<Accepted> {
    return this.tenants.register(command);
  }

  @OnCommand('issue-key')
  issueKey(@Payload() command: Command<IssueKey>): Promise<Accepted> {
    return this.tenants.issueKey(command);
  }

  @OnCommand('revoke-key')
  revokeKey(@Payload() command: Command<RevokeKey>): Promise<Accepted> {
    return this.tenants.revokeKey(command);
  }

  @OnCommand('register-provider')
  registerProvider(@Payload() command: Command<RegisterProvider>): Promise<Accepted> {
    return this.providers.register(command);
  }

  @OnCommand('remove-provider')
  removeProvider(@Payload() command: Command<RemoveProvider>): Promise<Accepted> {
    return this.providers.remove(command);
  }
}
