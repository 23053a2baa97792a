import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { AuditStatusView, DeadLetterListView, DeadLetterView, RetriedView } from '@countersign/contracts/http';
import { FromOperator, NO_TENANT, operatorContext } from '../edge/asked.js';
import { Commanding } from '../edge/commanding.js';
import type { Trace } from '../edge/correlation.js';
import type { Query as QueryOf } from '../edge/query.js';
import { DeadLetterDesk } from './dead-letter-desk.js';
import { SEQUENCE, SERVICE, STREAM, whichOf, type PathOf } from './dead-letters.controller.js';

/** What belongs to the installation and to no tenant. */
@ApiTags('operator')
@ApiBearerAuth()
@Controller('v1/operator')
export class OperatorController {
  constructor(private readonly commanding: Commanding, private readonly desk: DeadLetterDesk) {}

  /** How far the audit is with everybody's events, and how many it could not project. */
  @Get('audit')
  @ApiOkResponse({ type: AuditStatusView })
  audit(@FromOperator() trace: Trace): Promise<AuditStatusView> {
    return this.commanding.callAs('audit.status', { whole: true }, operatorContext(NO_TENANT, trace));
  }

  /** Of which nobody can say whose they are. A tenant's are its own. */
  @Get('dead-letters')
  @ApiOkResponse({ type: DeadLetterListView })
  async deadLetters(@FromOperator() _trace: Trace): Promise<DeadLetterListView> {
    return { deadLetters: await this.desk.list(undefined) };
  }

  @Get('dead-letters/:stream/:sequence')
  @ApiParam(STREAM)
  @ApiParam(SEQUENCE)
  @ApiQuery(SERVICE)
  @ApiOkResponse({ type: DeadLetterView })
  deadLetter(@FromOperator() _trace: Trace, @Param() path: PathOf, @Query() query: QueryOf): Promise<DeadLetterView> {
    return this.desk.show(undefined, whichOf(path, query));
  }

  /** Drives the same message through the same handler again. */
  @Post('dead-letters/:stream/:sequence/retry')
  @ApiParam(STREAM)
  @ApiParam(SEQUENCE)
  @HttpCode(200)
  @ApiQuery(SERVICE)
  @ApiOkResponse({ type: RetriedView })
  retry(@FromOperator() trace: Trace, @Param() path: PathOf, @Query() query: QueryOf): Promise<RetriedView> {
    return this.desk.retry(undefined, whichOf(path, query), operatorContext(NO_TENANT, trace));
  }
}
