import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { EventListView, PlanItemView, PlanView, ProposeRequest, WhyView } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { positionFrom, waitFrom, type Query as QueryOf } from '../edge/query.js';
import { eventView } from '../stream/event-view.js';
import { PlanReader, keyOf } from './plan-reader.js';
import { Proposing } from './propose.js';

const WAIT = { name: 'wait', required: false, type: Number, description: 'Seconds the answer may be held back, at most 60. Default 0' } as const;
const UNTIL = { name: 'until', required: false, enum: ['verdict', 'settled'], description: 'verdict (default): every item is allowed, asked or denied. settled: every item has come to its end' } as const;

@ApiTags('plans')
@ApiBearerAuth()
@Controller('v1')
export class PlansController {
  constructor(private readonly commanding: Commanding, private readonly proposing: Proposing, private readonly plans: PlanReader) {}

  /** The plan as it is when the wait is over, whether or not it has come so far. */
  @Post('sessions/:sessionId/plans')
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiParam({ name: 'sessionId', type: String })
  @ApiQuery(WAIT)
  @ApiQuery(UNTIL)
  @ApiCreatedResponse({ type: PlanView })
  async propose(
    @FromCaller() asked: Asked, @Param('sessionId') sessionId: string, @Query() query: QueryOf, @Body(new BodyOf(ProposeRequest)) body: ProposeRequest,
  ): Promise<PlanView> {
    return this.proposing.propose(asked, sessionId, body, waitFrom(query));
  }

  @Get('plans/:planId')
  @ApiQuery(WAIT)
  @ApiQuery(UNTIL)
  @ApiQuery({ name: 'at', required: false, type: Number, description: 'Position in the log: the plan as it was then. Not together with wait' })
  @ApiOkResponse({ type: PlanView })
  one(@FromCaller() asked: Asked, @Param('planId') planId: string, @Query() query: QueryOf): Promise<PlanView> {
    const at = positionFrom(query);
    const goal = waitFrom(query);
    if (at === undefined) return this.plans.now(asked.caller, planId, goal, asked.signal);
    if (query['wait'] !== undefined || query['until'] !== undefined) throw new GateError('INVALID_REQUEST', 'The past is not waited for: ?at goes without wait and until');
    return this.plans.at(asked.caller.tenant, planId, at);
  }

  /** One item with all its bodies, also when they were too many for the plan's view. */
  @Get('plans/:planId/items/:itemId')
  @ApiOkResponse({ type: PlanItemView })
  item(@FromCaller() asked: Asked, @Param('planId') planId: string, @Param('itemId') itemId: string): Promise<PlanItemView> {
    return this.plans.item(asked.caller, planId, itemId);
  }

  @Get('plans/:planId/events')
  @ApiOkResponse({ type: EventListView })
  async events(@FromCaller() asked: Asked, @Param('planId') planId: string): Promise<EventListView> {
    return { events: (await this.plans.events(asked.caller.tenant, planId)).map(eventView) };
  }

  /** What the plan waits for: which service, or a person, and since when. */
  @Get('plans/:planId/why')
  @ApiOkResponse({ type: WhyView })
  why(@FromCaller() asked: Asked, @Param('planId') planId: string): Promise<WhyView> {
    return this.plans.why(asked.caller.tenant, planId);
  }

  /** Denies what is not decided yet, and lets nothing more be started: what is allowed and has not begun is skipped. What runs is not stopped. */
  @Post('plans/:planId/cancel')
  @HttpCode(200)
  @ApiOkResponse({ type: PlanView })
  async cancel(@FromCaller() asked: Asked, @Param('planId') planId: string): Promise<PlanView> {
    const { tenant } = asked.caller;
    keyOf(tenant, planId);
    const { sequence } = await this.commanding.call('planner.cancel', { planId, at: this.commanding.now() }, asked);
    return this.plans.asOf(asked.caller, planId, sequence);
  }
}
