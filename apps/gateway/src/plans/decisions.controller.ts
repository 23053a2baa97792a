import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { DecisionRequest, DecisionsRequest, DecisionsView, PlanView } from '@countersign/contracts/http';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Answering } from './answering.js';
import { PlanReader, keyOf } from './plan-reader.js';

@ApiTags('decisions')
@ApiBearerAuth()
@Controller('v1/plans/:planId')
export class DecisionsController {
  constructor(private readonly answering: Answering, private readonly plans: PlanReader) {}

  /** Answers one item, by the digest of what was shown. The plan as it is once the answer stands in the log. */
  @Post('items/:itemId/decision')
  @HttpCode(200)
  @ApiOkResponse({ type: PlanView })
  async decide(
    @FromCaller() asked: Asked, @Param('planId') planId: string, @Param('itemId') itemId: string, @Body(new BodyOf(DecisionRequest)) body: DecisionRequest,
  ): Promise<PlanView> {
    const { tenant } = asked.caller;
    keyOf(tenant, planId);
    const { sequence } = await this.answering.answer(asked, planId, itemId, body);
    return this.plans.asOf(tenant, planId, sequence);
  }

  /** Answers several items, each by its own digest and with a result of its own. */
  @Post('decisions')
  @HttpCode(200)
  @ApiOkResponse({ type: DecisionsView })
  async decideAll(@FromCaller() asked: Asked, @Param('planId') planId: string, @Body(new BodyOf(DecisionsRequest)) body: DecisionsRequest): Promise<DecisionsView> {
    await this.plans.require(asked.caller.tenant, planId);
    return { results: await this.answering.answerAll(asked, planId, body.decisions) };
  }
}
