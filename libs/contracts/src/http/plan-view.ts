import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { APPLY_OUTCOMES, CLOSE_REASONS, PROVIDER_ERRORS, type ApplyOutcome, type CloseReason, type ProviderErrorCategory } from '../events/plan.js';
import type { Json, JsonObject } from '../json.js';
import { DECISIONS, type Decision } from '../policy.js';
import { PREVIEW_ABSENCES, type PreviewAbsence, type RenderTree } from '../render-tree.js';
import { CATEGORIES, RISK_CLASSES, TOOL_KINDS, type Category, type RiskClass, type ToolKind } from '../tool-schema.js';
import { AnswerView, BODY_ABSENCES, CorrectionView, LayerView, OfferView, OriginalInputView, ShadowVerdictView, TermsView, VoteView, type BodyAbsence } from './item-answers.js';

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

  @ApiProperty({ description: 'SHA-256 of the canonical arguments, as they stand after corrections' })
  inputDigest!: string;

  @ApiProperty({ required: false, type: OriginalInputView, description: 'Only when a person corrected the item' })
  original?: OriginalInputView;

  @ApiProperty({ required: false, type: [CorrectionView], description: 'Oldest first; `input` is that of the last one' })
  corrections?: CorrectionView[];

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

  @ApiProperty({ required: false, type: TermsView, description: 'Of an ask' })
  terms?: TermsView;

  @ApiProperty({ required: false, type: [LayerView], description: 'A layer that is not named was computed and said nothing' })
  layers?: readonly LayerView[];

  @ApiProperty({ required: false, type: ShadowVerdictView })
  shadow?: ShadowVerdictView;

  @ApiProperty({ required: false, type: [VoteView], description: 'Approvals of the item as it is now, while the quorum is not complete' })
  votes?: VoteView[];

  @ApiProperty({ required: false, type: [OfferView], description: 'While it is asked: the ways to answer, in words. Not in a view of the past' })
  offers?: OfferView[];

  @ApiProperty({ required: false, description: 'While it is asked: whether this key may approve it. Not in a view of the past' })
  mayAnswer?: boolean;

  @ApiProperty({ required: false, description: 'Why this key may not' })
  mayNotAnswerBecause?: string;

  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true, description: 'Render tree of the effect. Where there is none, show `input`' })
  preview?: RenderTree;

  @ApiProperty({ required: false, enum: [...PREVIEW_ABSENCES, ...BODY_ABSENCES] })
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
