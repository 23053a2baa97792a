import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { APPLY_OUTCOMES, CLOSE_REASONS, PROVIDER_ERRORS, type AnswerDecision, type ApplyOutcome, type CloseReason, type ProviderErrorCategory } from '../events/plan.js';
import type { Json, JsonObject } from '../json.js';
import { DECISIONS, type Decision } from '../policy.js';
import type { PreviewAbsence, RenderTree } from '../render-tree.js';
import { CATEGORIES, RISK_CLASSES, TOOL_KINDS, type Category, type RiskClass, type ToolKind } from '../tool-schema.js';

/** A person's answer. */
export class AnswerView {
  @ApiProperty({ enum: ['approve', 'reject'] })
  decision!: AnswerDecision;

  @ApiProperty()
  principal!: string;

  @ApiProperty({ required: false })
  reason?: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

/** What the model is given for this call. Present once the item has come to its end. */
export class ToolResultView {
  @ApiProperty()
  isError!: boolean;

  @ApiProperty()
  text!: string;

  @ApiProperty({ required: false, enum: PROVIDER_ERRORS })
  category?: ProviderErrorCategory;
}

export class ItemErrorView {
  @ApiProperty({ enum: PROVIDER_ERRORS })
  category!: ProviderErrorCategory;

  @ApiProperty()
  message!: string;

  @ApiProperty()
  retryable!: boolean;
}

export const BODY_ABSENCES = ['expired', 'may_expire', 'view_limit'] as const;
/**
 * Why a body is not in the view although its digest is: `expired` (its retention is over), `may_expire` (a view at a
 * past position leaves out what will not be kept, so that it is the same for ever), `view_limit` (the plan's bodies
 * are too many for one answer; the item's own route has it).
 */
export type BodyAbsence = (typeof BODY_ABSENCES)[number];

/** One item, with everything as it was when the plan was proposed; never re-read from today's catalogue. */
export class PlanItemView {
  @ApiProperty()
  itemId!: string;

  @ApiProperty()
  callId!: string;

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

  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true, description: 'Arguments; absent only when `inputAbsent` says why' })
  input?: JsonObject;

  @ApiProperty({ required: false, enum: BODY_ABSENCES })
  inputAbsent?: BodyAbsence;

  @ApiProperty({ description: 'SHA-256 of the canonical arguments' })
  inputDigest!: string;

  @ApiProperty({ enum: DECISIONS })
  decision!: Decision;

  @ApiProperty({ required: false, example: 'policy:writes-are-asked' })
  decidedBy?: string;

  @ApiProperty({ required: false, description: 'A winning ask on a read or interactive item was turned into deny' })
  downgraded?: true;

  @ApiProperty({ required: false })
  message?: string;

  @ApiProperty({ required: false, description: 'What an answer must name. Covers arguments, schema, preview and terms' })
  itemDigest?: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'Until when a person may answer' })
  expiresAt?: string;

  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true, description: 'Render tree of the effect. Where there is none, show `input`' })
  preview?: RenderTree;

  @ApiProperty({ required: false, enum: ['unsupported', 'timeout', 'failed', 'too_large', 'fanout_unavailable', ...BODY_ABSENCES] })
  previewAbsent?: PreviewAbsence | BodyAbsence;

  @ApiProperty({ required: false, type: AnswerView })
  answer?: AnswerView;

  @ApiProperty({ required: false, enum: APPLY_OUTCOMES, description: 'Absent until the item has come to its end' })
  outcome?: ApplyOutcome;

  @ApiProperty({ required: false, description: 'What the provider answered' })
  result?: Json;

  @ApiProperty({ required: false, enum: BODY_ABSENCES })
  resultAbsent?: BodyAbsence;

  @ApiProperty({ required: false })
  resultDigest?: string;

  @ApiProperty({ required: false, type: ItemErrorView })
  error?: ItemErrorView;

  @ApiProperty({ required: false, type: ToolResultView })
  toolResult?: ToolResultView;

  @ApiProperty({ required: false, format: 'date-time' })
  startedAt?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  endedAt?: string;
}

export class ClosedView {
  @ApiProperty({ enum: CLOSE_REASONS })
  reason!: CloseReason;

  @ApiProperty()
  by!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

/** A plan at one position of the log. The same position gives the same bytes, whenever it is asked for. */
@ApiExtraModels(AnswerView, ToolResultView, ItemErrorView)
export class PlanView {
  @ApiProperty()
  planId!: string;

  @ApiProperty()
  sessionId!: string;

  @ApiProperty()
  turnId!: string;

  @ApiProperty()
  requester!: string;

  @ApiProperty({ format: 'date-time' })
  proposedAt!: string;

  @ApiProperty({ enum: ['open', 'settled'], description: 'settled: every item has come to its end' })
  status!: 'open' | 'settled';

  @ApiProperty({ description: 'Position in the log of the plan’s last event in this view' })
  sequence!: number;

  @ApiProperty({ required: false, type: ClosedView })
  closed?: ClosedView;

  @ApiProperty({ type: [PlanItemView] })
  items!: PlanItemView[];
}
