import 'reflect-metadata';
import { Controller, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { StoredEvent } from '@countersign/contracts';
import { OnCommand, OnEvent, type Delivery, type Handled } from '@countersign/transport-jetstream';
import type { ServiceDefinition, ServiceInfra } from '../src/index.js';

export interface Seen { readonly what: string; readonly sequence?: number; readonly leaseLeftMs?: number }

/** What a spec plugs into the service below. */
export interface Script {
  readonly seen: Seen[];
  onProposed(event: StoredEvent, delivery: Delivery): Promise<Handled>;
}

const SCRIPT = Symbol('script');

@Controller()
class PolicyController implements OnApplicationShutdown {
  constructor(@Inject(SCRIPT) private readonly script: Script) {}

  @OnEvent('plan.Proposed')
  async proposed(@Payload() event: StoredEvent, @Ctx() delivery: Delivery): Promise<Handled> {
    this.script.seen.push({ what: event.type, sequence: event.sequence });
    return this.script.onProposed(event, delivery);
  }

  @OnCommand('activate-bundle')
  activate(): object {
    return { sequence: 1, warnings: [] };
  }

  onApplicationShutdown(): void {
    this.script.seen.push({ what: 'resources released' });
  }
}

class SmallModule {
  static with(script: Script, _infra: ServiceInfra): DynamicModule {
    return { module: SmallModule, controllers: [PolicyController], providers: [{ provide: SCRIPT, useValue: script }] };
  }
}
Module({})(SmallModule);

/** A service that is as thin as a real one, under policy's name and credentials. */
export const smallPolicy = (script: Script): ServiceDefinition => ({ service: 'policy', module: (infra) => SmallModule.with(script, infra) });
