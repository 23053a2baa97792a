import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, ActivateBundle, ChooseShadow, Command, PushBundle, PushedBundle, RollBack } from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { Bundles } from './bundles.js';

@Controller()
export class BundlesController {
  constructor(private readonly bundles: Bundles) {}

  @OnCommand('push-bundle')
  push(@Payload() command: Command<PushBundle>): Promise<PushedBundle> {
    return this.bundles.push(command);
  }

  @OnCommand('activate-bundle')
  activate(@Payload() command: Command<ActivateBundle>): Promise<PushedBundle> {
    return this.bundles.activate(command);
  }

  @OnCommand('roll-back')
  rollBack(@Payload() command: Command<RollBack>): Promise<PushedBundle> {
    return this.bundles.rollBack(command);
  }

  @OnCommand('choose-shadow')
  chooseShadow(@Payload() command: Command<ChooseShadow>): Promise<Accepted & { readonly digest?: string }> {
    return this.bundles.chooseShadow(command);
  }
}
