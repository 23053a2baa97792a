import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { sessionIdFrom } from '@countersign/contracts';
import { EndSessionRequest, OpenSessionRequest, SessionGrantListView, SessionView, ToolListView } from '@countersign/contracts/http';
import { permissionModeOf } from '@countersign/domain-session';
import { GateError, digestOf } from '@countersign/kernel';
import { ProviderReader } from '../catalogue/provider-reader.js';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { creationHash } from '../edge/idempotency.js';
import { requireId } from '../edge/ids.js';
import { SessionReader, requireSessionId } from './session-reader.js';

@ApiTags('sessions')
@ApiBearerAuth()
@Controller('v1/sessions')
export class SessionsController {
  constructor(private readonly commanding: Commanding, private readonly sessions: SessionReader, private readonly providers: ProviderReader) {}

  @Post()
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiCreatedResponse({ type: SessionView })
  async open(@FromCaller() asked: Asked, @Body(new BodyOf(OpenSessionRequest)) body: OpenSessionRequest): Promise<SessionView> {
    const { agent, profile, kind, permissionMode } = body;
    const sessionId = sessionIdFrom(creationHash(asked.caller, 'session', asked.idempotencyKey));
    const opening = { agent, profile: profile ?? 'default', kind: kind ?? 'chat', ...(permissionMode ? { permissionMode } : {}) };
    const { sequence } = await this.commanding.call('planner.open-session', { sessionId, ...opening, requestDigest: digestOf(opening), at: this.commanding.now() }, asked);
    return this.sessions.view(asked.caller.tenant, sessionId, sequence);
  }

  @Get(':sessionId')
  @ApiOkResponse({ type: SessionView })
  one(@FromCaller() asked: Asked, @Param('sessionId') sessionId: string): Promise<SessionView> {
    return this.sessions.view(asked.caller.tenant, sessionId);
  }

  @Post(':sessionId/end')
  @HttpCode(200)
  @ApiOkResponse({ type: SessionView })
  async end(@FromCaller() asked: Asked, @Param('sessionId') sessionId: string, @Body(new BodyOf(EndSessionRequest, { optional: true })) body: EndSessionRequest): Promise<SessionView> {
    requireSessionId(sessionId);
    const { sequence } = await this.commanding.call('planner.end-session', { sessionId, reason: body.reason ?? 'ended by its owner', at: this.commanding.now() }, asked);
    return this.sessions.view(asked.caller.tenant, sessionId, sequence);
  }

  /** What this session may be told of: nothing in its final turn, and in mode `plan` no operation that changes anything but those that are safe in it. */
  @Get(':sessionId/tools')
  @ApiOkResponse({ type: ToolListView })
  async tools(@FromCaller() asked: Asked, @Param('sessionId') sessionId: string): Promise<ToolListView> {
    const { state } = await this.sessions.existing(asked.caller.tenant, sessionId);
    if (state.ended) throw new GateError('SESSION_ENDED');
    if (state.limit) return { tools: [] };
    const planning = permissionModeOf(state) === 'plan';
    return { tools: await this.providers.tools(asked.caller.tenant, ({ kind, planSafe }) => !planning || kind !== 'resource' || planSafe === true) };
  }

  /** Verdicts that the session remembers. */
  @Get(':sessionId/grants')
  @ApiOkResponse({ type: SessionGrantListView })
  grants(@FromCaller() asked: Asked, @Param('sessionId') sessionId: string): Promise<SessionGrantListView> {
    return this.sessions.grants(asked.caller.tenant, sessionId);
  }

  /** From the next evaluation on it says nothing any more. What it has allowed and has not begun stays allowed. */
  @Post(':sessionId/grants/:grantId/revoke')
  @HttpCode(200)
  @ApiOkResponse({ type: SessionGrantListView })
  async revokeGrant(@FromCaller() asked: Asked, @Param('sessionId') sessionId: string, @Param('grantId') grantId: string): Promise<SessionGrantListView> {
    const { tenant } = asked.caller;
    await this.sessions.existing(tenant, sessionId);
    await this.commanding.call('planner.revoke-session-grant', { sessionId, grantId: requireId(grantId, 'grant'), at: this.commanding.now() }, asked);
    return this.sessions.grants(tenant, sessionId);
  }
}
