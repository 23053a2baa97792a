import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiOkResponse, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { LIMITS, type Explained, type SimulatedCall } from '@countersign/contracts';
import { ExplainedView, LintRequest, LintView, PolicyRequest, SimulateRequest } from '@countersign/contracts/http';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { given, type Query as QueryOf } from '../edge/query.js';
import { PlanReader } from '../plans/plan-reader.js';
import { bundleTextFrom } from './bundle-body.js';
import { LAYER, layerFrom } from './layer.js';

/** Policy reads a bundle's text within its own bound; this is only the one on its answer. */
const LINT_MS = LIMITS.policyReadMs + LIMITS.commandTimeoutMs;

/** Questions to policy that change nothing. */
@ApiTags('policies')
@ApiBearerAuth()
@Controller('v1')
export class PolicyChecksController {
  constructor(private readonly commanding: Commanding, private readonly plans: PlanReader) {}

  /** What is wrong with a bundle's text, with line, column and a suggestion. */
  @Post('policies/lint')
  @HttpCode(200)
  @ApiQuery(LAYER)
  @ApiConsumes('application/json', 'application/yaml')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(LintRequest) }, { $ref: getSchemaPath(PolicyRequest) }, { type: 'string', description: 'The text itself' }] } })
  @ApiOkResponse({ type: LintView })
  lint(@FromCaller() asked: Asked, @Query() query: QueryOf, @Body() body: unknown): Promise<LintView> {
    return this.commanding.call('policy.lint', { layer: layerFrom(query), text: bundleTextFrom(body) }, asked, { timeoutMs: LINT_MS });
  }

  /** What policy would say of a call that nobody made. */
  @Post('policies/simulate')
  @HttpCode(200)
  @ApiOkResponse({ type: ExplainedView })
  async simulate(@FromCaller() asked: Asked, @Body(new BodyOf(SimulateRequest)) { call, bundle }: SimulateRequest): Promise<ExplainedView> {
    const explained = await this.commanding.call('policy.simulate', { call: given<SimulatedCall>(call), ...(bundle ? { bundle } : {}), at: this.commanding.now() }, asked);
    return explainedView(explained);
  }

  /** Every rule that matched an item, in order, and why the winner won. */
  @Get('plans/:planId/items/:itemId/explain')
  @ApiOkResponse({ type: ExplainedView })
  async explain(@FromCaller() asked: Asked, @Param('planId') planId: string, @Param('itemId') itemId: string): Promise<ExplainedView> {
    await this.plans.require(asked.caller.tenant, planId, itemId);
    return explainedView(await this.commanding.call('policy.explain', { planId, itemId }, asked));
  }
}

const explainedView = (explained: Explained): ExplainedView => ({ ...explained });
