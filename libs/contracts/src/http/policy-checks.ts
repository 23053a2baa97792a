import { ApiProperty } from '@nestjs/swagger';
import type { JsonObject } from '../json.js';
import { LIMITS } from '../limits.js';
import { PERMISSION_MODES, type AskTerms, type PermissionMode, type Verdict } from '../policy.js';
import { LINT_CODES, type Explained, type LintCode, type LintFinding, type LintReport, type MatchedRule, type SimulatedCall } from '../policy-views.js';
import { CATEGORIES, RISK_CLASSES, TOOL_KINDS, type Category, type RiskClass, type ToolKind } from '../tool-schema.js';
import { JsonBody, Nested, OneOf, Text } from './fields.js';
import { LayerView, TermsView } from './item-answers.js';

export class LintFindingView implements LintFinding {
  @ApiProperty({ enum: ['error', 'warning'], description: 'An error refuses the bundle' })
  severity!: 'error' | 'warning';

  @ApiProperty({ enum: LINT_CODES })
  code!: LintCode;

  @ApiProperty()
  message!: string;

  @ApiProperty()
  suggestion!: string;

  @ApiProperty({ description: '1-based' })
  line!: number;

  @ApiProperty({ description: '1-based' })
  column!: number;

  @ApiProperty({ required: false, type: [String] })
  rules?: readonly string[];

  @ApiProperty({ required: false, description: 'JSON pointer' })
  path?: string;
}

export class LintView implements LintReport {
  @ApiProperty({ type: [LintFindingView] })
  findings!: readonly LintFindingView[];

  @ApiProperty({ description: 'How many' })
  rules!: number;

  @ApiProperty({ required: false, description: 'Of the bundle; absent when it cannot be read' })
  digest?: string;
}

/** A call that nobody made. */
export class SimulatedCallBody implements SimulatedCall {
  @Text({ max: LIMITS.nameChars })
  provider!: string;

  @Text({ max: LIMITS.nameChars })
  operation!: string;

  @OneOf(TOOL_KINDS, { optional: true, description: 'Default: the registered operation’s' })
  kind?: ToolKind;

  @OneOf(RISK_CLASSES, { optional: true })
  risk?: RiskClass;

  @OneOf(CATEGORIES, { optional: true })
  category?: Category;

  @JsonBody({ optional: true })
  input?: JsonObject;

  @Text({ optional: true, max: 80 })
  profile?: string;

  @Text({ optional: true, max: LIMITS.nameChars })
  agent?: string;

  @OneOf(PERMISSION_MODES, { optional: true })
  permissionMode?: PermissionMode;
}

export class SimulateRequest {
  @Nested(() => SimulatedCallBody)
  call!: SimulatedCallBody;

  @JsonBody({ optional: true, description: 'A bundle to judge by instead of the one in force' })
  bundle?: JsonObject;
}

export class MatchedRuleView implements MatchedRule {
  @ApiProperty()
  rule!: string;

  @ApiProperty({ enum: ['rules', 'guardrails', 'standing'] })
  layer!: MatchedRule['layer'];

  @ApiProperty({ enum: ['allow', 'ask', 'deny'] })
  action!: Verdict;

  @ApiProperty({ description: 'Why it stands where it stands, in words' })
  rank!: string;

  @ApiProperty({ required: false, enum: ['true', 'false', 'error'], description: 'What its condition came to' })
  when?: 'true' | 'false' | 'error';

  @ApiProperty()
  won!: boolean;
}

export class BundleRefView {
  @ApiProperty()
  version!: number;

  @ApiProperty()
  digest!: string;
}

/** Why an item is judged as it is, or a call would be. */
export class ExplainedView implements Explained {
  @ApiProperty({ enum: ['allow', 'ask', 'deny'] })
  decision!: Verdict;

  @ApiProperty()
  decidedBy!: string;

  @ApiProperty({ required: false, description: 'Id of the rule that won, where one did' })
  rule?: string;

  @ApiProperty({ required: false })
  downgraded?: true;

  @ApiProperty({ required: false })
  message?: string;

  @ApiProperty({ required: false, type: TermsView })
  terms?: AskTerms;

  @ApiProperty({ type: [LayerView] })
  layers!: readonly LayerView[];

  @ApiProperty({ type: [MatchedRuleView], description: 'In the order of rank; the first one won its layer' })
  matched!: readonly MatchedRuleView[];

  @ApiProperty({ description: 'In one sentence, why the winner won' })
  why!: string;

  @ApiProperty({ type: BundleRefView })
  bundle!: BundleRefView;

  @ApiProperty({ required: false, type: BundleRefView })
  guardrails?: BundleRefView;
}
