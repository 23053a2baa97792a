import { ApiProperty } from '@nestjs/swagger';
import type { PolicyRule } from '../policy.js';
import { RISK_CLASSES, TOOL_KINDS } from '../tool-schema.js';

const ruleSchema = {
  type: 'object',
  required: ['id', 'match', 'action'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    match: {
      type: 'object',
      additionalProperties: false,
      properties: {
        kind: { enum: [...TOOL_KINDS] }, provider: { type: 'string' }, tool_name: { type: 'string' }, risk: { enum: [...RISK_CLASSES] },
      },
    },
    action: { enum: ['allow', 'ask', 'deny'] },
    message: { type: 'string' },
  },
} as const;

/**
 * A whole bundle, as JSON or (with `Content-Type: application/yaml`) as YAML text. It is validated whole by policy,
 * whose refusals name the rule; the edge only parses it.
 */
export class PolicyRequest {
  @ApiProperty({ type: 'array', items: ruleSchema as never })
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
