import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { LIMITS } from '@countersign/contracts';
import { GRANT_STATUSES, GrantPreviewRequest, GrantPreviewView, RevokeGrantRequest, StandingGrantPage, StandingGrantView } from '@countersign/contracts/http';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { requireId } from '../edge/ids.js';
import { numberFrom, oneOf, textFrom, type Query as QueryOf } from '../edge/query.js';
import { narrowFrom } from '../plans/narrow.js';
import { PlanReader } from '../plans/plan-reader.js';
import { GrantReader } from './grant-reader.js';
import { coversInWords } from './in-words.js';

const PREVIEW_MS = 15_000;

/** Standing rules that people's answers of scope always made. A session's own are with the session. */
@ApiTags('grants')
@ApiBearerAuth()
@Controller('v1/grants')
export class GrantsController {
  constructor(private readonly commanding: Commanding, private readonly grants: GrantReader, private readonly plans: PlanReader) {}

  @Get()
  @ApiQuery({ name: 'status', required: false, enum: [...GRANT_STATUSES], description: 'Default active' })
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiQuery({ name: 'cursor', required: false, type: String })
  @ApiOkResponse({ type: StandingGrantPage })
  list(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<StandingGrantPage> {
    return this.grants.page(asked, {
      status: oneOf(query, 'status', GRANT_STATUSES) ?? 'active',
      limit: numberFrom(query, 'limit', { min: 1, max: LIMITS.pageItems }),
      cursor: textFrom(query, 'cursor', 512),
    });
  }

  @Get(':grantId')
  @ApiOkResponse({ type: StandingGrantView })
  one(@FromCaller() asked: Asked, @Param('grantId') grantId: string): Promise<StandingGrantView> {
    return this.grants.one(asked, requireId(grantId, 'grant'));
  }

  /** From the next evaluation on it says nothing any more. */
  @Post(':grantId/revoke')
  @HttpCode(200)
  @ApiBody({ type: RevokeGrantRequest, required: false })
  @ApiOkResponse({ type: StandingGrantView })
  async revoke(
    @FromCaller() asked: Asked, @Param('grantId') grantId: string, @Body(new BodyOf(RevokeGrantRequest, { optional: true })) { reason }: RevokeGrantRequest,
  ): Promise<StandingGrantView> {
    await this.grants.find(asked.caller.tenant, requireId(grantId, 'grant'));
    await this.commanding.call('policy.revoke-grant', { grantId, ...(reason ? { reason } : {}), at: this.commanding.now() }, asked);
    return this.grants.one(asked, grantId);
  }

  /** What an always for this item would have allowed in the last 30 days, before it is given. */
  @Post('preview')
  @HttpCode(200)
  @ApiOkResponse({ type: GrantPreviewView })
  async preview(@FromCaller() asked: Asked, @Body(new BodyOf(GrantPreviewRequest)) { planId, itemId, narrow }: GrantPreviewRequest): Promise<GrantPreviewView> {
    await this.plans.require(asked.caller.tenant, planId, itemId);
    const to = this.commanding.now();
    const from = new Date(Date.parse(to) - LIMITS.grantPreviewMs).toISOString();
    const question = { origin: { plan: planId, itemId }, ...(narrow ? { narrow: narrowFrom(narrow) } : {}), from, to };
    const preview = await this.commanding.call('audit.preview-grant', question, asked, { timeoutMs: PREVIEW_MS });
    const { profile, ...covered } = preview;
    return { ...preview, covers: coversInWords({ ...covered, within: { profile } }) };
  }
}
