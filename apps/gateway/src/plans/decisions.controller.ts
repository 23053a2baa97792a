import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CorrectedPlanView, CorrectionRequest, DecidedPlanView, DecisionRequest, DecisionsRequest, DecisionsView } from '@countersign/contracts/http';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { alsoAsked } from './also-asked.js';
import { Answering } from './answering.js';
import { Correcting } from './correcting.js';
import { PlanReader, keyOf } from './plan-reader.js';

@ApiTags('decisions')
@ApiBearerAuth()
@Controller('v1/plans/:planId')
export class DecisionsController {
  constructor(private readonly answering: Answering, private readonly correcting: Correcting, private readonly plans: PlanReader) {}

  /** Answers one item, by the digest of what was shown. The plan as it is once the answer stands in the log, and what it gives with it. */
  @Post('items/:itemId/decision')
  @HttpCode(200)
  @ApiOkResponse({ type: DecidedPlanView })
  async decide(
    @FromCaller() asked: Asked, @Param('planId') planId: string, @Param('itemId') itemId: string, @Body(new BodyOf(DecisionRequest)) body: DecisionRequest,
  ): Promise<DecidedPlanView> {
    keyOf(asked.caller.tenant, planId);
    const { sequence, pending, grantId } = await this.answering.answer(asked, planId, itemId, body);
    const folded = await this.plans.folded(asked.caller.tenant, planId, sequence);
    return {
      ...await this.plans.show(asked.caller, planId, folded), ...(pending ? { pending } : {}), ...(grantId ? { grantId } : {}),
      ...(body.scope === 'session' ? { alsoAsked: alsoAsked(planId, folded.state, itemId) } : {}),
    };
  }

  /** Other arguments for an asked item: checked against its schema, previewed and judged again. Answers when the new verdict is there, or is too long in coming. */
  @Post('items/:itemId/correction')
  @HttpCode(200)
  @ApiOkResponse({ type: CorrectedPlanView })
  correct(
    @FromCaller() asked: Asked, @Param('planId') planId: string, @Param('itemId') itemId: string, @Body(new BodyOf(CorrectionRequest)) body: CorrectionRequest,
  ): Promise<CorrectedPlanView> {
    return this.correcting.correct(asked, planId, itemId, body);
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
