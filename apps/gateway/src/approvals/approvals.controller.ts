import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApprovalPage } from '@countersign/contracts/http';
import { FromCaller, type Asked } from '../edge/asked.js';
import { Commanding } from '../edge/commanding.js';
import type { Query as QueryOf } from '../edge/query.js';
import { EventStreaming } from '../stream/event-streaming.js';
import { CURSOR } from '../stream/events.controller.js';
import { planScope } from '../stream/log-follower.js';
import { approvalChange } from './approval-change.js';
import { approvalQuery, asksWhatIsMine } from './approval-query.js';

const QUERY_MS = 15_000;

const text = (name: string, description?: string) => ApiQuery({ name, required: false, type: String, ...(description ? { description } : {}) });

const STREAM = {
  description: 'Server-sent events: `id` is the cursor, `event` one of asked, voted, corrected, answered, expired, closed, `data` an ApprovalChangeView. `closed` says that whatever of the plan was waiting waits no more. `unreadable` and `problem` as in `GET /v1/events`',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
} as const;

/** The inbox: items that wait for a person, over all plans of the tenant. */
@ApiTags('approvals')
@ApiBearerAuth()
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(private readonly commanding: Commanding, private readonly streaming: EventStreaming) {}

  /** Oldest first. `reflects` is the position of the log that the answer shows; `GET /v1/approvals/events` tells what comes after. */
  @Get()
  @text('role', 'That a holder of this role or group may answer') @text('provider') @text('operation') @text('risk') @text('session') @text('agent')
  @text('olderThan', 'Asked longer ago than `90s`, `30m`, `8h`, `2d`') @text('askedBefore', 'Asked at or before; RFC 3339') @text('cursor')
  @ApiQuery({ name: 'mine', required: false, type: Boolean, description: 'true: only what this key’s roles and groups may answer' })
  @ApiQuery({ name: 'limit', required: false, type: Number })
  @ApiOkResponse({ type: ApprovalPage })
  async list(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<ApprovalPage> {
    const wanted = approvalQuery(query, asked.caller, this.commanding.now());
    const { rows, nextCursor, reflects } = await this.commanding.call('audit.query-approvals', wanted, asked, { timeoutMs: QUERY_MS });
    if (asksWhatIsMine(query) && !asked.caller.roles.includes('approver')) return { rows: [], reflects };
    return { rows: [...rows], ...(nextCursor === undefined ? {} : { nextCursor }), reflects };
  }

  /** Changes of the queue, as they are written. */
  @Get('events')
  @ApiQuery(CURSOR)
  @ApiHeader({ name: 'Last-Event-ID', required: false })
  @ApiOkResponse(STREAM)
  async changes(@FromCaller() asked: Asked, @Query() query: QueryOf, @Headers('last-event-id') lastId: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    await this.streaming.stream(asked, planScope(asked.caller.tenant), { query, lastId }, reply, approvalChange);
  }
}
