import { ApiProperty } from '@nestjs/swagger';
import { ID_PATTERN } from '../ids.js';
import type { JsonObject } from '../json.js';
import { LIMITS } from '../limits.js';
import { CATEGORIES, RISK_CLASSES, TOOL_KINDS, type Category, type RiskClass, type ToolKind } from '../tool-schema.js';
import { OneOf, Text } from './fields.js';

export const SESSION_KINDS = ['chat', 'run', 'listener'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export class OpenSessionRequest {
  @Text({ max: LIMITS.nameChars, description: 'Which agent, in the words of its owner', example: 'refactor-bot' })
  agent!: string;

  @Text({ optional: true, max: 80, pattern: ID_PATTERN, description: 'Default `default`' })
  profile?: string;

  @OneOf(SESSION_KINDS, { optional: true, description: 'Default `chat`' })
  kind?: SessionKind;
}

export class EndSessionRequest {
  @Text({ optional: true, max: LIMITS.reasonChars, prose: true })
  reason?: string;
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
