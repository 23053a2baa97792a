import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, AnswerItem, Command, Propose } from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { Answers } from './answers/answers.js';
import { Proposals } from './proposal/proposals.js';

@Controller()
export class PlansController {
  constructor(private readonly proposals: Proposals, private readonly answers: Answers) {}

  @OnCommand('propose')
  propose(@Payload() command: Command<Propose>): Promise<Accepted> {
    return this.proposals.propose(command);
  }

  @OnCommand('answer')
  answer(@Payload() command: Command<AnswerItem>): Promise<Accepted> {
    return this.answers.answer(command);
  }
}
