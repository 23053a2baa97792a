import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { Accepted, Answered, AnswerItem, Command, CorrectItem, Propose } from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { Answers } from './answers/answers.js';
import { Corrections } from './answers/corrections.js';
import { Proposals } from './proposal/proposals.js';

@Controller()
export class PlansController {
  constructor(private readonly proposals: Proposals, private readonly answers: Answers, private readonly corrections: Corrections) {}

  @OnCommand('propose')
  propose(@Payload() command: Command<Propose>): Promise<Accepted> {
    return this.proposals.propose(command);
  }

  @OnCommand('answer')
  answer(@Payload() command: Command<AnswerItem>): Promise<Answered> {
    return this.answers.answer(command);
  }

  @OnCommand('correct')
  correct(@Payload() command: Command<CorrectItem>): Promise<Accepted> {
    return this.corrections.correct(command);
  }
}
