import { LIMITS } from './limits.js';
import { ASK_TIMEOUTS } from './policy.js';
import { RISK_CLASSES, TOOL_KINDS } from './tool-schema.js';

const RULE_ID = '^[a-z0-9][a-z0-9._-]{0,79}$';
const name = (description: string) => ({ type: 'string', minLength: 1, maxLength: LIMITS.nameChars, description }) as const;

const MATCH = {
  type: 'object',
  additionalProperties: false,
  description: 'All given fields must hold; none given: every item.',
  properties: {
    kind: { enum: [...TOOL_KINDS], description: 'What the operation is: it changes the world, reads it, or asks a person.' },
    provider: name('The provider, exactly; with a * a pattern, in which * stands for any text.'),
    tool_name: name('The operation, tool or slash command, exactly; with a * a pattern, in which * stands for any text.'),
    risk: { enum: [...RISK_CLASSES], description: 'This risk class and no other.' },
    risk_at_least: { enum: [...RISK_CLASSES], description: 'This risk class or a higher one.' },
  },
  not: { type: 'object', properties: { risk: {}, risk_at_least: {} }, required: ['risk', 'risk_at_least'] },
} as const;

const ASK = {
  type: 'object',
  additionalProperties: false,
  description: 'What is demanded of the people who are asked. Only with action ask.',
  properties: {
    roles: { type: 'array', minItems: 1, maxItems: LIMITS.policyRoles, uniqueItems: true, items: name('A role or group.'), description: 'One of these, beside approver. Absent: any approver.' },
    quorum: { type: 'integer', minimum: 1, maximum: LIMITS.quorum, description: 'Approvals by this many different people. Default 1.' },
    expires_in: { type: 'string', pattern: '^[1-9][0-9]{0,6}[smhd]$', description: 'Time to answer: 90s, 30m, 8h, 2d. Default 30m, at most 30d.' },
    on_timeout: { enum: [...ASK_TIMEOUTS], description: 'What holds when nobody answered in time. Default deny.' },
    require_reason: { type: 'boolean', description: 'An answer needs a reason.' },
    not_requester: { type: 'boolean', description: 'Whoever proposed the plan, or corrected the item, does not approve it.' },
    narrow_only: { type: 'boolean', description: 'A grant for the session or for always must be narrowed by a condition.' },
  },
} as const;

/**
 * The published JSON Schema (draft 2020-12) of a policy bundle: what the engine takes and what the API describes. What it
 * does not name is refused, so that a rule with a misspelt condition never matches more than its author meant. `default` is
 * taken: verdicts say `policy:default` where no rule matched. Written without `const`, which OpenAPI 3.0 does not have.
 * It stands as a file for editors in `libs/policy-engine/schema`.
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
          id: { type: 'string', pattern: RULE_ID, not: { enum: ['default'] }, description: 'Named by verdicts; unique in the bundle.' },
          match: MATCH,
          profile: name('Only in sessions of this profile. A filter; it adds nothing to the rank.'),
          when: {
            type: 'string', minLength: 1, maxLength: LIMITS.celChars,
            description: 'A CEL condition over input, item, session, agent, tenant and now. An error of it counts as matched for ask and deny, as unmatched for allow.',
          },
          action: { enum: ['allow', 'ask', 'deny'], description: 'Guardrails ask or deny.' },
          over: {
            description: 'Ids of rules of the same rank that this one goes before.',
            anyOf: [
              { type: 'string', pattern: RULE_ID },
              { type: 'array', minItems: 1, maxItems: LIMITS.policyOver, uniqueItems: true, items: { type: 'string', pattern: RULE_ID } },
            ],
          },
          message: { type: 'string', minLength: 1, maxLength: LIMITS.reasonChars, description: 'Shown to the approver or, on deny, to the model.' },
          ask: ASK,
        },
      },
    },
    profiles: {
      type: 'object',
      description: 'By name of the session\u2019s profile.',
      maxProperties: LIMITS.policyProfiles,
      propertyNames: { minLength: 1, maxLength: LIMITS.nameChars },
      additionalProperties: {
        type: 'object', additionalProperties: false,
        properties: { headless: { type: 'boolean', description: 'Nobody is there to answer an interactive call: they are denied.' } },
      },
    },
  },
} as const;
