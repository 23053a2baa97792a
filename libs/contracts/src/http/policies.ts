import { ApiProperty } from '@nestjs/swagger';
import type { PolicyRule } from '../policy.js';
import { POLICY_BUNDLE_SCHEMA } from '../policy-schema.js';

const { items: ruleSchema, maxItems } = POLICY_BUNDLE_SCHEMA.properties.rules;

/**
 * A whole bundle, as JSON or (with `Content-Type: application/yaml`) as YAML text. It is validated whole, by the schema that
 * stands here, and refusals name the rule.
 */
export class PolicyRequest {
  @ApiProperty({ type: 'array', items: ruleSchema as never, maxItems })
  rules!: readonly PolicyRule[];
}

/** The bundle in force. Version 0: none was activated, so the defaults of the gate hold. */
export class PolicyView {
  @ApiProperty()
  version!: number;

  @ApiProperty({ required: false })
  digest?: string;

  @ApiProperty({ type: 'array', items: ruleSchema as never })
  rules!: readonly PolicyRule[];

  @ApiProperty({ required: false })
  activatedBy?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  activatedAt?: string;

  @ApiProperty({ description: 'Position in the log' })
  sequence!: number;

  @ApiProperty({ required: false, type: [String], description: 'Only in the answer to an activation' })
  warnings?: readonly string[];
}
