import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DECISIONS, ID_PATTERN, LIMITS, RISK_CLASSES, SESSION_ID_PATTERN, type AuditItemQuery, type AuditPlanQuery, type AuditRebuildStatus } from '@countersign/contracts';
import { AuditItemPage, AuditPlanPage, AuditRebuildView, AuditStatusView } from '@countersign/contracts/http';
import { FromCaller, FromOperator, NO_TENANT, operatorContext, type Asked } from '../edge/asked.js';
import { Commanding } from '../edge/commanding.js';
import type { Trace } from '../edge/correlation.js';
import { matching, numberFrom, oneOf, textFrom, timeFrom, given, type Query as QueryOf } from '../edge/query.js';

const QUERY_MS = 15_000;

const text = (name: string, description?: string) => ApiQuery({ name, required: false, type: String, ...(description ? { description } : {}) });

@ApiTags('audit')
@ApiBearerAuth()
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly commanding: Commanding) {}

  @Get('plans')
  @text('from', 'Proposed at or after; RFC 3339') @text('to', 'Proposed before; RFC 3339') @text('session') @text('requester') @text('cursor')
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiOkResponse({ type: AuditPlanPage })
  async plans(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<AuditPlanPage> {
    const page = await this.commanding.call('audit.query-plans', planQuery(query), asked, { timeoutMs: QUERY_MS });
    return { ...page, rows: [...page.rows] };
  }

  @Get('plan-items')
  @text('from') @text('to') @text('session') @text('requester') @text('provider') @text('operation') @text('decision') @text('risk') @text('cursor')
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiOkResponse({ type: AuditItemPage })
  async items(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<AuditItemPage> {
    const page = await this.commanding.call('audit.query-items', itemQuery(query), asked, { timeoutMs: QUERY_MS });
    return { ...page, rows: [...page.rows] };
  }

  @Get('status')
  @ApiOkResponse({ type: AuditStatusView })
  status(@FromCaller() asked: Asked): Promise<AuditStatusView> {
    return this.commanding.call('audit.status', {}, asked);
  }

  /** Operator only. Begins to rebuild every table from the log beside the ones in use, to compare them; answers with what runs, which may have been begun before. */
  @Post('rebuild')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: AuditRebuildView })
  rebuild(@FromOperator() trace: Trace): Promise<AuditRebuildView> {
    return this.commanding.callAs('audit.rebuild', {}, operatorContext(NO_TENANT, trace)).then(rebuildView);
  }

  /** Operator only. How far the last rebuild is, and what the last one that finished has found. */
  @Get('rebuild')
  @ApiOkResponse({ type: AuditRebuildView })
  rebuildStatus(@FromOperator() trace: Trace): Promise<AuditRebuildView> {
    return this.commanding.callAs('audit.rebuild-status', {}, operatorContext(NO_TENANT, trace)).then(rebuildView);
  }
}

const rebuildView = ({ report, ...status }: AuditRebuildStatus): AuditRebuildView => ({ ...status, ...(report ? { report } : {}) });

function planQuery(query: QueryOf): AuditPlanQuery {
  return given({
    from: timeFrom(query, 'from'),
    to: timeFrom(query, 'to'),
    session: matching(query, 'session', SESSION_ID_PATTERN),
    requester: matching(query, 'requester', ID_PATTERN),
    limit: numberFrom(query, 'limit', { min: 1, max: LIMITS.pageItems }),
    cursor: textFrom(query, 'cursor', 512),
  });
}

function itemQuery(query: QueryOf): AuditItemQuery {
  return {
    ...planQuery(query),
    ...given({
      provider: textFrom(query, 'provider', LIMITS.nameChars),
      operation: textFrom(query, 'operation', LIMITS.nameChars),
      decision: oneOf(query, 'decision', DECISIONS),
      risk: oneOf(query, 'risk', RISK_CLASSES),
    }),
  };
}
