import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type {
  Accepted, ChangeSettings, Command, FreezeSome, RegisterSubscriber, RegisterWebhook, RemoveByName, Unfreeze,
} from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { TenantCare } from './tenant-care.js';

@Controller()
export class TenantCareController {
  constructor(private readonly care: TenantCare) {}

  @OnCommand('change-settings')
  changeSettings(@Payload() command: Command<ChangeSettings>): Promise<Accepted> {
    return this.care.changeSettings(command);
  }

  @OnCommand('register-subscriber')
  registerSubscriber(@Payload() command: Command<RegisterSubscriber>): Promise<Accepted> {
    return this.care.registerSubscriber(command);
  }

  @OnCommand('remove-subscriber')
  removeSubscriber(@Payload() command: Command<RemoveByName>): Promise<Accepted> {
    return this.care.removeSubscriber(command);
  }

  @OnCommand('register-webhook')
  registerWebhook(@Payload() command: Command<RegisterWebhook>): Promise<Accepted> {
    return this.care.registerWebhook(command);
  }

  @OnCommand('remove-webhook')
  removeWebhook(@Payload() command: Command<RemoveByName>): Promise<Accepted> {
    return this.care.removeWebhook(command);
  }

  @OnCommand('freeze')
  freeze(@Payload() command: Command<FreezeSome>): Promise<Accepted> {
    return this.care.freeze(command);
  }

  @OnCommand('unfreeze')
  unfreeze(@Payload() command: Command<Unfreeze>): Promise<Accepted> {
    return this.care.unfreeze(command);
  }
}
