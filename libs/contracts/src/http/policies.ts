import { ApiProperty } from '@nestjs/swagger';
import { LIMITS } from '../limits.js';
import { POLICY_LAYERS, type PolicyBundle, type PolicyLayer, type PolicyRule } from '../policy.js';
import { POLICY_BUNDLE_SCHEMA } from '../policy-schema.js';
import { Text, Whole } from './fields.js';
import { DIGEST_PATTERN } from './narrow.js';

const { items: ruleSchema, maxItems } = POLICY_BUNDLE_SCHEMA.properties.rules;

/**
 * A whole bundle, as JSON or (with `Content-Type: application/yaml`) as YAML text. It is validated whole, by the schema that
 * `GET /v1/policies/schema` publishes, and refusals name the rule.
 */
export class PolicyRequest {
  @ApiProperty({ type: 'array', items: ruleSchema as never, maxItems })
  rules!: readonly PolicyRule[];

  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true, description: 'By name of the profile: what it adds' })
  profiles?: PolicyBundle['profiles'];
}

/** A bundle that was pushed before. */
export class PolicyDigestRequest {
  @Text({ max: 64, pattern: DIGEST_PATTERN })
  digest!: string;
}

export class RollbackRequest {
  @Whole({ optional: true, min: 1, max: Number.MAX_SAFE_INTEGER, description: 'Default: the one before the one in force' })
  version?: number;
}

/** A bundle as it stands in the log. */
abstract class BundleBody {
  @ApiProperty({ type: 'array', items: ruleSchema as never })
  rules!: readonly PolicyRule[];

  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  profiles?: PolicyBundle['profiles'];
}

/** The bundle in force. Version 0: none was activated, so the defaults of the gate hold. */
export class PolicyView extends BundleBody {
  @ApiProperty({ enum: POLICY_LAYERS })
  layer!: PolicyLayer;

  @ApiProperty()
  version!: number;

  @ApiProperty({ required: false })
  digest?: string;

  @ApiProperty({ required: false })
  activatedBy?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  activatedAt?: string;

  @ApiProperty({ required: false, description: 'Set when an earlier version was put in force again' })
  rolledBackTo?: number;

  @ApiProperty({ description: 'Position in the log' })
  sequence!: number;

  @ApiProperty({ required: false, type: [String], description: 'Only in the answer to an activation' })
  warnings?: readonly string[];
}

/** Kept under its digest, and without effect. */
export class PushedBundleView {
  @ApiProperty({ enum: POLICY_LAYERS })
  layer!: PolicyLayer;

  @ApiProperty({ description: 'Give it to activate, to shadow or to compare' })
  digest!: string;

  @ApiProperty()
  sequence!: number;

  @ApiProperty({ type: [String] })
  warnings!: readonly string[];
}

export class PolicyVersionView {
  @ApiProperty()
  version!: number;

  @ApiProperty()
  digest!: string;

  @ApiProperty()
  activatedBy!: string;

  @ApiProperty({ format: 'date-time' })
  activatedAt!: string;

  @ApiProperty({ required: false })
  rolledBackTo?: number;
}

export class PolicyHistoryView {
  @ApiProperty({ enum: POLICY_LAYERS })
  layer!: PolicyLayer;

  @ApiProperty({ type: [PolicyVersionView], description: 'Newest first' })
  versions!: PolicyVersionView[];

  @ApiProperty()
  sequence!: number;
}

/** The bundle that is evaluated and recorded beside the one in force, without effect. Without a digest: none. */
export class ShadowPolicyView {
  @ApiProperty({ required: false })
  digest?: string;

  @ApiProperty({ required: false, type: 'array', items: ruleSchema as never })
  rules?: readonly PolicyRule[];

  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  profiles?: PolicyBundle['profiles'];

  @ApiProperty({ required: false })
  chosenBy?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  chosenAt?: string;

  @ApiProperty()
  sequence!: number;
}

export class PolicySideView extends BundleBody {
  @ApiProperty()
  version!: number;

  @ApiProperty()
  digest!: string;
}

export class ChangedRuleView {
  @ApiProperty()
  id!: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  from!: PolicyRule;

  @ApiProperty({ type: 'object', additionalProperties: true })
  to!: PolicyRule;
}

/** By rule id. The order of rules says nothing, so it is not compared. */
export class PolicyDiffView {
  @ApiProperty({ type: PolicySideView })
  from!: PolicySideView;

  @ApiProperty({ type: PolicySideView })
  to!: PolicySideView;

  @ApiProperty({ type: 'array', items: ruleSchema as never })
  added!: readonly PolicyRule[];

  @ApiProperty({ type: 'array', items: ruleSchema as never })
  removed!: readonly PolicyRule[];

  @ApiProperty({ type: [ChangedRuleView] })
  changed!: ChangedRuleView[];

  @ApiProperty({ description: 'Whether the profiles differ' })
  profilesChanged!: boolean;
}

/** A bundle's text, for whoever sends JSON; `Content-Type: application/yaml` sends the text itself. */
export class LintRequest {
  @Text({ max: LIMITS.policyBundleBytes, prose: true, description: 'YAML, or JSON' })
  text!: string;
}
