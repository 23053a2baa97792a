import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, ActivateBundle, Command, PlanEvent, StoredEvent } from '@countersign/contracts';
import { OnCommand, OnEvent, type Handled } from '@countersign/transport-jetstream';
import { Bundles } from './bundles.js';
import { Evaluation } from './evaluation.js';

@Controller()
export class PolicyController {
  constructor(private readonly evaluation: Evaluation, private readonly bundles: Bundles) {}

  @OnEvent('plan.Proposed')
  proposed(@Payload() event: StoredEvent<PlanEvent>): Promise<Handled> {
    return this.evaluation.proposed(event);
  }

  @OnEvent('plan.Previewed')
  previewed(@Payload() event: StoredEvent<PlanEvent>): Promise<Handled> {
    return this.evaluation.previewed(event);
  }

  @OnCommand('activate-bundle')
  activate(@Payload() command: Command<ActivateBundle>): Promise<Accepted & { readonly warnings: readonly string[] }> {
    return this.bundles.activate(command);
  }
}
