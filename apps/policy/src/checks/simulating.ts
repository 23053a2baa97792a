import { providerKey, type Command, type Explained, type ProviderEvent, type SimulatedCall, type Simulate, type TenantId, type ToolSchema } from '@countersign/contracts';
import type { ProviderState } from '@countersign/domain-provider';
import { freezeCovering, settingsOf } from '@countersign/domain-tenant';
import type { AggregateStore } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import { compileBundle, compilePolicy, explain, type ItemFacts } from '@countersign/policy-engine';
import type { PolicyView, TenantPolicy } from '@countersign/policy-view';

/** The session that nobody opened. */
const NO_SESSION = 'simulated';

/** Judges a call that nobody made: nothing is recorded, no subscriber is asked. */
export class Simulating {
  constructor(private readonly providers: AggregateStore<ProviderState, ProviderEvent>, private readonly view: PolicyView) {}

  /**
   * By the rules in force or by the bundle given, with the tenant's guardrails, grants and freezes.
   * @throws GateError POLICY_INVALID, POLICY_CONFLICT of the bundle; PROVIDER_UNKNOWN, OPERATION_UNKNOWN where the call needs the registered operation
   */
  async simulate({ context, call, bundle, at }: Command<Simulate>): Promise<Explained> {
    const { tenant, principal } = context;
    const given = bundle === undefined ? undefined : compileBundle(bundle);
    const [policy, registered] = await Promise.all([this.view.of(tenant), this.registered(tenant, call)]);
    const compiled = given ? compilePolicy({ ...policy.parts, rules: given }) : policy.compiled;
    const explained = explain(compiled, factsOf(call, { tenant, principal, policy, registered, now: at }));
    const named = given ? { version: 0, digest: given.digest } : policy.rules;
    return { ...explained, bundle: named, ...(policy.guardrails ? { guardrails: policy.guardrails } : {}) };
  }

  /** Undefined: it is not registered, and the call says itself what matters of it. */
  private async registered(tenant: TenantId, { provider, operation, kind, risk }: SimulatedCall): Promise<ToolSchema | undefined> {
    const { state } = await this.providers.fresh(providerKey(tenant, provider));
    const found = state.current?.operations.find(({ name }) => name === operation);
    if (found || (kind !== undefined && risk !== undefined)) return found;
    if (!state.current) throw new GateError('PROVIDER_UNKNOWN', `No provider ${provider} is registered; give kind and risk to simulate one that is not`, { provider });
    throw new GateError('OPERATION_UNKNOWN', `The provider ${provider} has no operation ${operation}; give kind and risk to simulate one that it has not`, { provider, operation });
  }
}

interface Around { readonly tenant: TenantId; readonly principal: string; readonly policy: TenantPolicy; readonly registered: ToolSchema | undefined; readonly now: string }

function factsOf(call: SimulatedCall, { tenant, principal, policy, registered, now }: Around): ItemFacts {
  const { provider, operation, kind = registered?.kind, risk = registered?.risk, category = registered?.category ?? 'tool' } = call;
  const { profile = 'default', agent = NO_SESSION, permissionMode = 'default' } = call;
  if (kind === undefined || risk === undefined) throw new GateError('INVALID_REQUEST', 'A call needs a kind and a risk');
  const freeze = freezeCovering(policy.tenant, { session: NO_SESSION, agent, provider, operation });
  const input = call.input ?? {};
  return {
    item: { kind, provider, name: operation, risk, category, edit: registered?.edit === true, planSafe: registered?.planSafe === true },
    input, inputDigest: digestOf(input),
    session: { id: NO_SESSION, agent, profile, kind: 'chat', permissionMode, openedBy: principal, openedAt: now, ended: false, grants: [] },
    tenant: { id: tenant, bypassPermissions: settingsOf(policy.tenant).bypassPermissions },
    ...(freeze ? { frozenBy: freeze.by } : {}),
    now,
  };
}
