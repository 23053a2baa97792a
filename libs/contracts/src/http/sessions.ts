import { ApiProperty } from '@nestjs/swagger';
import { ID_PATTERN } from '../ids.js';
import type { JsonObject } from '../json.js';
import { LIMIT_CAUSES, type LimitCause, type SessionLimitReached } from '../events/session.js';
import { LIMITS } from '../limits.js';
import { PERMISSION_MODES, type PermissionMode } from '../policy.js';
import { CATEGORIES, RISK_CLASSES, TOOL_KINDS, type Category, type RiskClass, type ToolKind } from '../tool-schema.js';
import { OneOf, Text } from './fields.js';
import { SessionGrantView } from './grants.js';

export const SESSION_KINDS = ['chat', 'run', 'listener'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export class OpenSessionRequest {
  @Text({ max: LIMITS.nameChars, description: 'Which agent, in the words of its owner', example: 'refactor-bot' })
  agent!: string;

  @Text({ optional: true, max: 80, pattern: ID_PATTERN, description: 'Default `default`' })
  profile?: string;

  @OneOf(SESSION_KINDS, { optional: true, description: 'Default `chat`' })
  kind?: SessionKind;

  @OneOf(PERMISSION_MODES, { optional: true, description: 'How what would be asked is treated. Default `default`; `bypassPermissions` only where the tenant permits it' })
  permissionMode?: PermissionMode;
}

export class EndSessionRequest {
  @Text({ optional: true, max: LIMITS.reasonChars, prose: true })
  reason?: string;
}

/** The session has one final turn without tools; then it ends. */
export class LimitReachedView {
  @ApiProperty({ enum: LIMIT_CAUSES })
  cause!: LimitCause;

  @ApiProperty({ description: 'What was counted against which bound' })
  detail!: string;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, description: 'The denied items, or the repeated calls, oldest first' })
  items!: SessionLimitReached['items'];

  @ApiProperty({ format: 'date-time', description: 'When the session ends by itself' })
  endsAt!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

export class SessionView {
  @ApiProperty()
  sessionId!: string;

  @ApiProperty()
  agent!: string;

  @ApiProperty()
  profile!: string;

  @ApiProperty({ enum: SESSION_KINDS })
  kind!: SessionKind;

  @ApiProperty({ enum: PERMISSION_MODES })
  permissionMode!: PermissionMode;

  @ApiProperty()
  openedBy!: string;

  @ApiProperty({ format: 'date-time' })
  openedAt!: string;

  @ApiProperty({ enum: ['open', 'ended'] })
  status!: 'open' | 'ended';

  @ApiProperty({ required: false, format: 'date-time' })
  endedAt?: string;

  @ApiProperty({ required: false })
  endedBy?: string;

  @ApiProperty({ required: false })
  endReason?: string;

  @ApiProperty({ required: false, type: LimitReachedView })
  limitReached?: LimitReachedView;

  @ApiProperty({ type: [SessionGrantView], description: 'Verdicts that are remembered until it ends' })
  grants!: SessionGrantView[];

  @ApiProperty({ description: 'Position in the log of the session’s last event' })
  sequence!: number;
}

/** One operation of the catalogue as this session may see it. */
export class ToolView {
  @ApiProperty()
  provider!: string;

  @ApiProperty()
  operation!: string;

  @ApiProperty({ enum: CATEGORIES })
  category!: Category;

  @ApiProperty({ enum: TOOL_KINDS })
  kind!: ToolKind;

  @ApiProperty({ enum: RISK_CLASSES })
  risk!: RiskClass;

  @ApiProperty()
  description!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'JSON Schema of the input' })
  inputSchema!: JsonObject;
}

export class ToolListView {
  @ApiProperty({ type: [ToolView] })
  tools!: ToolView[];
}
