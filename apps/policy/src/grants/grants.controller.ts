import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, ActivateGrant, Command, GrantChecked, ReserveGrant, RevokeGrant } from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { Grants } from './grants.js';

@Controller()
export class GrantsController {
  constructor(private readonly grants: Grants) {}

  @OnCommand('reserve-grant')
  reserve(@Payload() command: Command<ReserveGrant>): Promise<GrantChecked> {
    return this.grants.reserve(command);
  }

  @OnCommand('activate-grant')
  activate(@Payload() command: Command<ActivateGrant>): Promise<Accepted> {
    return this.grants.activate(command);
  }

  @OnCommand('revoke-grant')
  revoke(@Payload() command: Command<RevokeGrant>): Promise<Accepted> {
    return this.grants.revoke(command);
  }
}
