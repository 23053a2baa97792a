import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Command, Explain, Explained, LintBundle, LintReport, Simulate } from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { Explaining } from './explaining.js';
import { lintWithinTime } from './linting.js';
import { Simulating } from './simulating.js';

/** Questions: they change nothing. */
@Controller()
export class ChecksController {
  constructor(private readonly explaining: Explaining, private readonly simulating: Simulating) {}

  @OnCommand('lint')
  lint(@Payload() command: Command<LintBundle>): LintReport {
    return lintWithinTime(command);
  }

  @OnCommand('simulate')
  simulate(@Payload() command: Command<Simulate>): Promise<Explained> {
    return this.simulating.simulate(command);
  }

  @OnCommand('explain')
  explain(@Payload() command: Command<Explain>): Promise<Explained> {
    return this.explaining.explain(command);
  }
}
