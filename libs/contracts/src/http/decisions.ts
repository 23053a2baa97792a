import { ApiProperty } from '@nestjs/swagger';
import type { AnswerDecision } from '../events/plan.js';
import type { JsonObject } from '../json.js';
import { LIMITS } from '../limits.js';
import { SCOPES, type Scope } from '../policy.js';
import { Flag, JsonBody, Nested, NestedList, OneOf, Text } from './fields.js';
import { DIGEST_PATTERN, NarrowBody } from './narrow.js';
import { PlanView } from './plan-view.js';
import { Problem } from './problem.js';

/** RFC 3339, or how long from now: `90s`, `30m`, `8h`, `7d`. */
export const UNTIL_PATTERN = /^(?:[1-9]\d{0,5}[smhd]|\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))$/;

/** A person's answer to one asked item. It names what was seen; when the item has changed since, it is refused. */
export class DecisionRequest {
  @OneOf(['approve', 'reject'])
  decision!: AnswerDecision;

  @Text({ max: 64, pattern: DIGEST_PATTERN, description: '`itemDigest` of the item as it was shown' })
  itemDigest!: string;

  @Text({ optional: true, max: LIMITS.reasonChars, prose: true, description: 'On reject the model is told this' })
  reason?: string;

  @OneOf(SCOPES, { optional: true, description: 'once (default): the item and nothing more. session: the same answer for this operation for the rest of the session. always: a standing rule. `offers` of the item says in words what each covers' })
  scope?: Scope;

  @Nested(() => NarrowBody, { optional: true, description: 'With scope session or always: less than the whole operation' })
  narrow?: NarrowBody;

  @Text({ optional: true, max: 40, pattern: UNTIL_PATTERN, description: 'With scope always: until when. RFC 3339, or a duration such as `7d`', example: '7d' })
  grantExpiresAt?: string;
}

export class BatchDecision extends DecisionRequest {
  @Text({ max: 10, pattern: /^i[0-9]+$/ })
  itemId!: string;
}

/** Every item is named with its own digest; there is no answer for all. */
export class DecisionsRequest {
  @NestedList(() => BatchDecision, { maxItems: LIMITS.planItems })
  decisions!: BatchDecision[];
}

/** Other arguments for an asked item. They are checked against its schema, previewed and judged again. */
export class CorrectionRequest {
  @Text({ max: 64, pattern: DIGEST_PATTERN, description: '`itemDigest` of the item as it was shown' })
  itemDigest!: string;

  @JsonBody({ description: 'The whole of the arguments; nothing is merged or converted' })
  input!: JsonObject;

  @Text({ optional: true, max: LIMITS.reasonChars, prose: true })
  reason?: string;

  @Flag({ optional: true, description: 'Whether this is your approval too, where nothing is previewed and the new terms let you approve. Default true' })
  confirm?: boolean;
}

/** Of an answer that is one of several the terms demand. */
export class PendingVotesView {
  @ApiProperty()
  approvals!: number;

  @ApiProperty()
  quorum!: number;
}

/** An item to be answered. */
export class ItemRefView {
  @ApiProperty()
  planId!: string;

  @ApiProperty()
  itemId!: string;

  @ApiProperty()
  itemDigest!: string;
}

/** The plan once the answer stands in the log, and what came of the answer besides. */
export class DecidedPlanView extends PlanView {
  @ApiProperty({ required: false, type: PendingVotesView, description: 'Your approval counts, and others are needed' })
  pending?: PendingVotesView;

  @ApiProperty({ required: false, description: 'What is remembered beyond this item' })
  grantId?: string;

  @ApiProperty({ required: false, type: [ItemRefView], description: 'After a grant: other items that are asked about the same operation. They are not answered by it; `POST /v1/plans/:planId/decisions` takes them as one batch' })
  alsoAsked?: ItemRefView[];
}

/** The plan after a correction, with the item's new digest and preview as far as they have come. */
export class CorrectedPlanView extends PlanView {
  @ApiProperty({ description: 'Whether the correction was your approval too. Else look at the item, and approve its new `itemDigest`' })
  confirmed!: boolean;

  @ApiProperty({ required: false, description: 'Why it was not' })
  notConfirmedBecause?: string;

  @ApiProperty({ required: false, type: PendingVotesView })
  pending?: PendingVotesView;
}

export class DecisionResult {
  @ApiProperty()
  itemId!: string;

  @ApiProperty({ description: 'Whether the answer stands in the log' })
  ok!: boolean;

  @ApiProperty({ required: false, description: 'Position of the answer in the log' })
  sequence?: number;

  @ApiProperty({ required: false, description: 'The same answer had been given before' })
  repeated?: true;

  @ApiProperty({ required: false, type: PendingVotesView })
  pending?: PendingVotesView;

  @ApiProperty({ required: false, description: 'What is remembered beyond this item' })
  grantId?: string;

  @ApiProperty({ required: false, type: Problem })
  problem?: Problem;
}

/** One result for each, in the order of the request. */
export class DecisionsView {
  @ApiProperty({ type: [DecisionResult] })
  results!: DecisionResult[];
}
