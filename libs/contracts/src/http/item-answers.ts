import { ApiProperty } from '@nestjs/swagger';
import type { AnswerDecision } from '../events/plan.js';
import type { JsonObject } from '../json.js';
import { ASK_TIMEOUTS, LAYERS, SCOPES, type AskTerms, type AskTimeout, type GrantNarrow, type Layer, type LayerFinding, type Scope, type Verdict } from '../policy.js';
import { NarrowBody } from './narrow.js';

export const BODY_ABSENCES = ['expired', 'may_expire', 'view_limit'] as const;
/**
 * Why a body is not in the view although its digest is: `expired` (its retention is over), `may_expire` (a view at a
 * past position leaves out what will not be kept, so that it is the same for ever), `view_limit` (the plan's bodies
 * are too many for one answer; the item's own route has it).
 */
export type BodyAbsence = (typeof BODY_ABSENCES)[number];

/** What an answer of scope session or always is remembered as. */
export class AnswerGrantView {
  @ApiProperty({ description: 'Scope session: of the session’s grants. Scope always: of `/v1/grants`' })
  grantId!: string;

  @ApiProperty({ required: false, type: NarrowBody })
  narrow?: GrantNarrow;

  @ApiProperty({ required: false, format: 'date-time' })
  expiresAt?: string;
}

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

  @ApiProperty({ required: false, enum: SCOPES, description: 'Absent: once' })
  scope?: Scope;

  @ApiProperty({ required: false, type: AnswerGrantView })
  grant?: AnswerGrantView;

  @ApiProperty({ required: false, type: [String], description: 'Roles and groups of the key that answered' })
  roles?: readonly string[];
}

/** One approval of several that the terms demand. */
export class VoteView {
  @ApiProperty()
  principal!: string;

  @ApiProperty({ required: false })
  reason?: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ required: false, type: [String] })
  roles?: readonly string[];
}

/** What the ask demands of the people it asks. */
export class TermsView implements AskTerms {
  @ApiProperty({ required: false, type: [String], description: 'One of these roles or groups, beside `approver`' })
  roles?: readonly string[];

  @ApiProperty({ description: 'Approvals by this many different people' })
  quorum!: number;

  @ApiProperty({ enum: ASK_TIMEOUTS })
  onTimeout!: AskTimeout;

  @ApiProperty({ required: false })
  requireReason?: true;

  @ApiProperty({ required: false, description: 'Whoever proposed the plan, or corrected the item, does not approve it' })
  notRequester?: true;

  @ApiProperty({ required: false, description: 'A grant must be narrowed by a condition' })
  narrowOnly?: true;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'Scopes that can be given' })
  scopes!: readonly Scope[];

  @ApiProperty({ required: false, description: 'A person corrected the item, and policy would now allow it: confirm what you see' })
  confirmation?: true;
}

/** One way to answer, and in words what it covers. The narrow ones come first. */
export class OfferView {
  @ApiProperty({ enum: SCOPES })
  scope!: Scope;

  @ApiProperty({ required: false, type: NarrowBody, description: 'Give it back as `narrow`' })
  narrow?: GrantNarrow;

  @ApiProperty({ example: 'every write_file of provider files in this session' })
  covers!: string;
}

/** What one layer said of the item; the first that applies wins. */
export class LayerView implements LayerFinding {
  @ApiProperty({ enum: LAYERS })
  layer!: Layer;

  @ApiProperty({ enum: ['allow', 'ask', 'deny'] })
  says!: Verdict;

  @ApiProperty()
  by!: string;

  @ApiProperty({ required: false })
  downgraded?: true;
}

/** What the shadow bundle would have said; without effect. */
export class ShadowVerdictView {
  @ApiProperty({ enum: ['allow', 'ask', 'deny'] })
  decision!: Verdict;

  @ApiProperty()
  decidedBy!: string;
}

/** What the agent proposed, before a person corrected it. */
export class OriginalInputView {
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  input?: JsonObject;

  @ApiProperty({ required: false, enum: BODY_ABSENCES })
  inputAbsent?: BodyAbsence;

  @ApiProperty()
  inputDigest!: string;
}

/** One correction; the last one's input is the item's. */
export class CorrectionView extends OriginalInputView {
  @ApiProperty({ description: '1, 2, …' })
  correction!: number;

  @ApiProperty()
  principal!: string;

  @ApiProperty({ required: false })
  reason?: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}
