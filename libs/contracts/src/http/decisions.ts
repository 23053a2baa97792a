import { ApiProperty } from '@nestjs/swagger';
import type { AnswerDecision } from '../events/plan.js';
import { LIMITS } from '../limits.js';
import { NestedList, OneOf, Text } from './fields.js';
import { Problem } from './problem.js';

const DIGEST = /^[0-9a-f]{64}$/;

/** A person's answer to one asked item. It names what was seen; when the item has changed since, it is refused. */
export class DecisionRequest {
  @OneOf(['approve', 'reject'])
  decision!: AnswerDecision;

  @Text({ max: 64, pattern: DIGEST, description: '`itemDigest` of the item as it was shown' })
  itemDigest!: string;

  @Text({ optional: true, max: LIMITS.reasonChars, prose: true, description: 'On reject the model is told this' })
  reason?: string;

  @Text({ optional: true, max: 20, description: 'Only `once` yet, which is the default' })
  scope?: string;
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

export class DecisionResult {
  @ApiProperty()
  itemId!: string;

  @ApiProperty({ description: 'Whether the answer stands in the log' })
  ok!: boolean;

  @ApiProperty({ required: false, description: 'Position of the answer in the log' })
  sequence?: number;

  @ApiProperty({ required: false, description: 'The same answer had been given before' })
  repeated?: true;

  @ApiProperty({ required: false, type: Problem })
  problem?: Problem;
}

/** One result for each, in the order of the request. */
export class DecisionsView {
  @ApiProperty({ type: [DecisionResult] })
  results!: DecisionResult[];
}
