import type { AggregateKey, Json, VetoAnswer } from '@countersign/contracts';
import { currentInputOf, type ItemState } from '@countersign/domain-plan';
import { isOpen, permissionModeOf, type SessionState } from '@countersign/domain-session';
import { freezeCovering, settingsOf, type TenantState } from '@countersign/domain-tenant';
import type { ItemFacts } from '@countersign/policy-engine';

export interface FactsAbout {
  /** The plan's. */
  readonly key: Pick<AggregateKey, 'tenant' | 'session'>;
  readonly session: SessionState;
  readonly tenant: TenantState;
  /** RFC 3339, UTC. */
  readonly now: string;
  /** Of the arguments as they stand now; undefined: not at hand. */
  readonly input: Json | undefined;
  readonly vetoes?: readonly VetoAnswer[];
}

/** All that one item of a plan is judged by, from folds alone. */
export function itemFactsOf(item: ItemState, { key, session, tenant, now, input, vetoes }: FactsAbout): ItemFacts {
  const { kind, provider, name, risk, category, edit, planSafe } = item.operation;
  const facts = sessionFactsOf(key.session, session);
  const freeze = freezeCovering(tenant, { session: key.session, agent: facts.agent, provider, operation: name });
  return {
    item: { kind, provider, name, risk, category, ...(edit === undefined ? {} : { edit }), ...(planSafe === undefined ? {} : { planSafe }) },
    input, inputDigest: currentInputOf(item).digest,
    session: facts,
    tenant: { id: key.tenant, bypassPermissions: settingsOf(tenant).bypassPermissions },
    ...(freeze ? { frozenBy: freeze.by } : {}),
    ...(vetoes ? { vetoes } : {}),
    now,
  };
}

/** A session that was never opened counts as ended. */
export function sessionFactsOf(id: string, session: SessionState): ItemFacts['session'] {
  const { opened, limit, grants } = session;
  return {
    id, agent: opened?.agent ?? '', profile: opened?.profile ?? '', kind: opened?.kind ?? 'chat', permissionMode: permissionModeOf(session),
    openedBy: opened?.openedBy ?? '', openedAt: opened?.at ?? '', ended: !isOpen(session),
    ...(limit ? { limitReached: limit.cause } : {}), grants: [...grants.values()],
  };
}

