import {
  policyKey, type Accepted, type ActivateBundle, type ChooseShadow, type Command, type PolicyBundle, type PolicyEvent, type PolicyLayer,
  type PushBundle, type PushedBundle, type RollBack, type Sealed, type TenantId,
} from '@countersign/contracts';
import {
  activateBundle, bundleByDigest, bundleInForce, chooseShadow, isSealed, pushBundle, requireRoom, rollBack, rollBackTarget, type PolicyState,
  type StoredBundle,
} from '@countersign/domain-policy-bundle';
import { acceptedOf, metaOf, seal, unseal, type AggregateStore, type BlobStore, type Folded } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { compileBundle, type CompiledBundle } from '@countersign/policy-engine';
import { publishedBy, publishedWith } from './published.js';

interface Prepared { readonly compiled: CompiledBundle; readonly sealed: Sealed<PolicyBundle> }

/** A tenant's two layers of rules: kept, put in force, taken back, and tried beside those in force. Refused, what stands stays. */
export class Bundles {
  constructor(private readonly store: AggregateStore<PolicyState, PolicyEvent>, private readonly blobs: BlobStore) {}

  /** Without effect until it is activated or shadowed. @throws GateError POLICY_INVALID, POLICY_CONFLICT, AGGREGATE_TOO_LONG */
  async push({ context, layer, bundle, at }: Command<PushBundle>): Promise<PushedBundle> {
    const { compiled, sealed } = await this.prepare(context.tenant, layer, bundle);
    const { digest, warnings } = compiled;
    const pushed = await this.store.transact(policyKey(context.tenant, layer), ({ state, position }) => {
      const decision = pushBundle(state, { digest, bundle: sealed, by: context.principal, at });
      if (decision.event) requireRoom(position.rev, 'keep');
      return decision;
    }, { meta: metaOf(context, 'person') });
    return { ...acceptedOf(pushed), digest, warnings };
  }

  /**
   * Puts a bundle in force, whole and in one step: the one given, or one that was pushed.
   * @throws GateError POLICY_INVALID, POLICY_CONFLICT, NOT_FOUND, AGGREGATE_TOO_LONG
   */
  async activate({ context, layer, bundle, digest, at }: Command<ActivateBundle>): Promise<PushedBundle> {
    const { tenant, principal } = context;
    const given = bundle === undefined ? undefined : await this.prepare(tenant, layer, bundle);
    const activated = await this.store.transact(policyKey(tenant, layer), async (folded) => {
      const { compiled, sealed } = given ?? await this.stored(tenant, layer, bundleByDigest(folded.state, digestNamed(digest)).bundle);
      const published = await this.published(tenant, layer, folded.state, compiled.bundle, at);
      const decision = activateBundle(folded.state, { digest: compiled.digest, bundle: sealed, ...published, by: principal, at });
      if (decision.event) requireRoom(folded.position.rev, 'activate');
      return { ...decision, reply: { ...decision.reply, warnings: compiled.warnings } };
    }, { meta: metaOf(context, 'person') });
    return { ...acceptedOf(activated), digest: activated.reply.digest, warnings: activated.reply.warnings };
  }

  /** An earlier version again, as a new one. @throws GateError VERSION_UNKNOWN, AGGREGATE_TOO_LONG */
  async rollBack({ context, layer, version, at }: Command<RollBack>): Promise<PushedBundle> {
    const { tenant, principal } = context;
    const rolled = await this.store.transact(policyKey(tenant, layer), async ({ state, position }) => {
      const target = rollBackTarget(state, version);
      const { compiled, sealed } = await this.stored(tenant, layer, target.bundle);
      const published = await this.published(tenant, layer, state, compiled.bundle, at);
      const decision = rollBack(state, { rolledBackTo: target.version, digest: target.digest, bundle: sealed, ...published, by: principal, at });
      if (decision.event) requireRoom(position.rev, 'undo');
      return { ...decision, reply: { ...decision.reply, warnings: compiled.warnings } };
    }, { meta: metaOf(context, 'person') });
    return { ...acceptedOf(rolled), digest: rolled.reply.digest, warnings: rolled.reply.warnings };
  }

  /** Evaluated and recorded beside the rules in force, without effect; given neither, none any more. @throws GateError as `activate` */
  async chooseShadow({ context, bundle, digest, at }: Command<ChooseShadow>): Promise<Accepted & { readonly digest?: string }> {
    const { tenant, principal: by } = context;
    const given = bundle === undefined ? undefined : await this.prepare(tenant, 'rules', bundle);
    const chosen = await this.store.transact(policyKey(tenant), async ({ state, position }: Folded<PolicyState>) => {
      const prepared = given ?? (digest === undefined ? undefined : await this.stored(tenant, 'rules', bundleByDigest(state, digest).bundle));
      const decision = chooseShadow(state, { ...(prepared ? { digest: prepared.compiled.digest, bundle: prepared.sealed } : {}), by, at });
      if (decision.event) requireRoom(position.rev, prepared ? 'keep' : 'undo');
      return decision;
    }, { meta: metaOf(context, 'person') });
    return { ...acceptedOf(chosen), ...(chosen.reply.digest === undefined ? {} : { digest: chosen.reply.digest }) };
  }

  private async prepare(tenant: TenantId, layer: PolicyLayer, candidate: unknown): Promise<Prepared> {
    const compiled = compileBundle(candidate, { layer });
    return { compiled, sealed: await seal(compiled.bundle, { blobs: this.blobs, tenant }) };
  }

  /** What the log holds already, checked again by this build's engine. */
  private async stored(tenant: TenantId, layer: PolicyLayer, stored: StoredBundle): Promise<Prepared> {
    return await this.prepare(tenant, layer, isSealed(stored) ? await unseal(stored, { blobs: this.blobs, tenant }) : stored);
  }

  /** Of guardrails nothing is recorded: no grant lifts their asks, however old it is. */
  private async published(tenant: TenantId, layer: PolicyLayer, state: PolicyState, bundle: PolicyBundle, at: string): Promise<{ published?: Sealed<Readonly<Record<string, string>>> }> {
    if (layer !== 'rules') return {};
    const where = { blobs: this.blobs, tenant };
    const before = await publishedBy(state, await this.bundleIn(state, tenant), where);
    return { published: await seal(publishedWith(before, bundle, at), where) };
  }

  private async bundleIn(state: PolicyState, tenant: TenantId): Promise<PolicyBundle> {
    const { bundle } = bundleInForce(state);
    return isSealed(bundle) ? await unseal(bundle, { blobs: this.blobs, tenant }) : bundle;
  }
}

function digestNamed(digest: string | undefined): string {
  if (digest === undefined) throw new GateError('INVALID_REQUEST', 'Name the digest of a bundle, or give the bundle itself');
  return digest;
}
