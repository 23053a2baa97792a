import { ApiProperty } from '@nestjs/swagger';
import type { GrantPreview } from '../commands.js';
import { PLAN_ID_PATTERN } from '../ids.js';
import { LIMITS } from '../limits.js';
import type { GrantNarrow, GrantOrigin } from '../policy.js';
import { Nested, Text } from './fields.js';
import { NarrowBody } from './narrow.js';
import { Page } from './page.js';

export class OriginView implements GrantOrigin {
  @ApiProperty()
  plan!: string;

  @ApiProperty()
  itemId!: string;
}

export class RevokedView {
  @ApiProperty()
  by!: string;

  @ApiProperty({ required: false })
  reason?: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

/** A verdict that is remembered for one operation, or for less of it. */
abstract class GrantView {
  @ApiProperty()
  grantId!: string;

  @ApiProperty()
  provider!: string;

  @ApiProperty()
  operation!: string;

  @ApiProperty({ enum: ['allow', 'deny'] })
  decision!: 'allow' | 'deny';

  @ApiProperty({ required: false, type: NarrowBody })
  narrow?: GrantNarrow;

  @ApiProperty({ description: 'What it covers, in words' })
  covers!: string;

  @ApiProperty({ required: false })
  reason?: string;

  @ApiProperty({ type: OriginView, description: 'The item whose answer gave it' })
  origin!: OriginView;
}

export const GRANT_STATUSES = ['active', 'expired', 'revoked'] as const;
export type GrantStatus = (typeof GRANT_STATUSES)[number];

/** A standing rule that a person's answer of scope always made. */
export class StandingGrantView extends GrantView {
  @ApiProperty({ description: 'Only in sessions of this profile' })
  profile!: string;

  @ApiProperty()
  author!: string;

  @ApiProperty({ format: 'date-time' })
  activatedAt!: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'Absent: until it is revoked' })
  expiresAt?: string;

  @ApiProperty({ enum: GRANT_STATUSES })
  status!: GrantStatus;

  @ApiProperty({ required: false, type: RevokedView })
  revoked?: RevokedView;

  @ApiProperty({ required: false, description: 'Verdicts it has decided. Absent while the audit does not answer' })
  hits?: number;

  @ApiProperty({ required: false, format: 'date-time' })
  lastHitAt?: string;

  @ApiProperty({ description: 'Position in the log of the grant’s last event' })
  sequence!: number;
}

export class StandingGrantPage {
  @ApiProperty({ type: [StandingGrantView] })
  grants!: StandingGrantView[];

  @ApiProperty({ required: false, description: 'Give it as `cursor` for what comes next; absent at the end' })
  nextCursor?: string;

  @ApiProperty({ required: false, description: 'Position of the log that the hits reflect' })
  reflects?: number;
}

/** A verdict that a session remembers until it ends. */
export class SessionGrantView extends GrantView {
  @ApiProperty()
  by!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

export class SessionGrantListView {
  @ApiProperty({ type: [SessionGrantView], description: 'In force, oldest first' })
  grants!: SessionGrantView[];
}

export class RevokeGrantRequest {
  @Text({ optional: true, max: LIMITS.reasonChars, prose: true })
  reason?: string;
}

/** "What would this have allowed in the last 30 days." */
export class GrantPreviewRequest {
  @Text({ max: 90, pattern: PLAN_ID_PATTERN })
  planId!: string;

  @Text({ max: 10, pattern: /^i[0-9]+$/ })
  itemId!: string;

  @Nested(() => NarrowBody, { optional: true })
  narrow?: NarrowBody;
}

export class GrantPreviewView extends Page implements GrantPreview {
  @ApiProperty()
  profile!: string;

  @ApiProperty()
  provider!: string;

  @ApiProperty()
  operation!: string;

  @ApiProperty({ required: false, type: NarrowBody })
  narrow?: GrantNarrow;

  @ApiProperty({ description: 'What it would cover, in words' })
  covers!: string;

  @ApiProperty({ format: 'date-time' })
  from!: string;

  @ApiProperty({ format: 'date-time' })
  to!: string;

  @ApiProperty({ description: 'Items it covers that people were asked about; of those, what they said' })
  asked!: number;

  @ApiProperty()
  approved!: number;

  @ApiProperty()
  rejected!: number;

  @ApiProperty()
  expired!: number;

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, description: 'Newest first, at most twenty' })
  examples!: GrantPreview['examples'];

  @ApiProperty({ description: 'Items whose arguments are not kept, so that the condition cannot be compared; in none of the counts' })
  notComparable!: number;
}
