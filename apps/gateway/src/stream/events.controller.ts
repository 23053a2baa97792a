import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { FromCaller, type Asked } from '../edge/asked.js';
import type { Query as QueryOf } from '../edge/query.js';
import { SessionReader } from '../sessions/session-reader.js';
import { PERMISSION_REQUEST, PLAN_READY, UNREADABLE } from './event-name.js';
import { EventStreaming } from './event-streaming.js';
import { sessionScope, tenantScope } from './log-follower.js';

export const CURSOR = {
  name: 'cursor', required: false, type: String,
  description: 'Where to go on: the id of the last event that was received, `start` for everything, `now` (default) for what comes. `Last-Event-ID` says the same and goes first',
} as const;
const STREAM = {
  description: `Server-sent events: \`id\` is the cursor, \`data\` an EventView, \`event\` its type. A verdict (\`plan.Evaluated\`) is called \`${PERMISSION_REQUEST}\` when it asks a person about at least one item, and \`${PLAN_READY}\` when it asks nobody. \`${UNREADABLE}\` stands for an event that this gateway cannot read, with its \`stream\` and \`sequence\` as data. \`problem\`, with a Problem as data, is the last that a stream says when it cannot go on`,
  content: { 'text/event-stream': { schema: { type: 'string' } } },
} as const;

@ApiTags('events')
@ApiBearerAuth()
@Controller('v1')
export class EventsController {
  constructor(private readonly streaming: EventStreaming, private readonly sessions: SessionReader) {}

  /** Everything of the tenant, in both logs. */
  @Get('events')
  @ApiQuery(CURSOR)
  @ApiHeader({ name: 'Last-Event-ID', required: false })
  @ApiOkResponse(STREAM)
  async all(@FromCaller() asked: Asked, @Query() query: QueryOf, @Headers('last-event-id') lastId: string | undefined, @Res() reply: FastifyReply): Promise<void> {
    await this.streaming.stream(asked, tenantScope(asked.caller.tenant), { query, lastId }, reply);
  }

  /** A session's own events and those of its plans. */
  @Get('sessions/:sessionId/events')
  @ApiQuery(CURSOR)
  @ApiHeader({ name: 'Last-Event-ID', required: false })
  @ApiOkResponse(STREAM)
  async ofSession(
    @FromCaller() asked: Asked, @Param('sessionId') sessionId: string, @Query() query: QueryOf, @Headers('last-event-id') lastId: string | undefined, @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.existing(asked.caller.tenant, sessionId);
    await this.streaming.stream(asked, sessionScope(asked.caller.tenant, sessionId), { query, lastId }, reply);
  }
}
