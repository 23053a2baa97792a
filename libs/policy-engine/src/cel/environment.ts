import { LIMITS, type Category, type PermissionMode, type RiskClass, type ToolKind } from '@countersign/contracts';
import { Environment } from '@marcbachmann/cel-js';
import type { ItemFacts } from '../facts.js';

/** What a condition sees of the call. */
export class ItemView {
  constructor(readonly kind: ToolKind, readonly provider: string, readonly tool_name: string, readonly risk: RiskClass, readonly category: Category) {}
}
/** What a condition sees of the session. */
export class SessionView {
  readonly id: string;
  readonly agent: string;
  readonly profile: string;
  readonly kind: string;
  readonly permission_mode: PermissionMode;
  readonly opened_by: string;
  readonly opened_at: Date;

  constructor({ id, agent, profile, kind, permissionMode, openedBy, openedAt }: Omit<ItemFacts['session'], 'ended' | 'grants' | 'limitReached'>) {
    this.id = id;
    this.agent = agent;
    this.profile = profile;
    this.kind = kind;
    this.permission_mode = permissionMode;
    this.opened_by = openedBy;
    this.opened_at = new Date(openedAt);
  }
}
export class AgentView {
  constructor(readonly name: string) {}
}
export class TenantView {
  constructor(readonly id: string) {}
}

/** Nesting of a condition's syntax, for the parser's own stack. */
const SYNTAX_DEPTH = 32;
const text = (...names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, 'string']));

/** The variables of a condition with their types, so that a misspelt member is refused with the bundle. Only `input` is of any type. */
export const ENVIRONMENT = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: LIMITS.celNodes, maxDepth: SYNTAX_DEPTH, maxListElements: LIMITS.celNodes, maxMapEntries: LIMITS.celNodes },
})
  .registerType('Item', { ctor: ItemView, fields: text('kind', 'provider', 'tool_name', 'risk', 'category') })
  .registerType('Session', { ctor: SessionView, fields: { ...text('id', 'agent', 'profile', 'kind', 'permission_mode', 'opened_by'), opened_at: 'google.protobuf.Timestamp' } })
  .registerType('Agent', { ctor: AgentView, fields: text('name') })
  .registerType('Tenant', { ctor: TenantView, fields: text('id') })
  .registerVariable('input', 'dyn')
  .registerVariable('item', 'Item')
  .registerVariable('session', 'Session')
  .registerVariable('agent', 'Agent')
  .registerVariable('tenant', 'Tenant')
  .registerVariable('now', 'google.protobuf.Timestamp');
