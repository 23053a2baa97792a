import { LIMITS } from './limits.js';
import { RISK_CLASSES, TOOL_KINDS } from './tool-schema.js';

/**
 * The published JSON Schema (draft 2020-12) of a policy bundle: what the engine takes and what the API describes. What it
 * does not name is refused, so that a rule with a misspelt condition never matches more than its author meant. `default` is
 * taken: verdicts say `policy:default` where no rule matched. Written without `const`, which OpenAPI 3.0 does not have.
 */
export const POLICY_BUNDLE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Countersign policy bundle',
  type: 'object',
  additionalProperties: false,
  required: ['rules'],
  properties: {
    rules: {
      type: 'array',
      maxItems: LIMITS.policyRules,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'match', 'action'],
        properties: {
          id: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,79}$', not: { enum: ['default'] } },
          match: {
            type: 'object',
            additionalProperties: false,
            properties: {
              kind: { enum: [...TOOL_KINDS] },
              provider: { type: 'string', minLength: 1, maxLength: LIMITS.nameChars },
              tool_name: { type: 'string', minLength: 1, maxLength: LIMITS.nameChars },
              risk: { enum: [...RISK_CLASSES] },
            },
          },
          action: { enum: ['allow', 'ask', 'deny'] },
          message: { type: 'string', minLength: 1, maxLength: LIMITS.reasonChars },
        },
      },
    },
  },
} as const;
