import { grantKey, policyKey, type GrantEvent, type PolicyBundle, type PolicyLayer, type TenantId } from '@countersign/contracts';
import { InMemoryEventLog, createAggregateStore, seal, type InMemoryBlobStore, type InMemoryBroker } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import { grantLifeFold } from '../grants/grant-life.js';
import { bundleHistoryFold } from '../policies/bundle-history.js';
import { accepted, metaOf, type Served } from './served.js';

/** Policy's part, without its judgement: bundles as they come, and grants that are there. */
export function memoryPolicies(broker: InMemoryBroker, blobs: InMemoryBlobStore): Served {
  const log = new InMemoryEventLog('policy', broker);
  const policies = createAggregateStore(log, bundleHistoryFold);
  const grants = createAggregateStore(log, grantLifeFold);
  const pushed = new Map<string, PolicyBundle>();
  const nameOf = (tenant: TenantId, layer: PolicyLayer, digest: string): string => `${tenant} ${layer} ${digest}`;
  const bundleOf = (tenant: TenantId, layer: PolicyLayer, given: { readonly bundle?: unknown; readonly digest?: string }): PolicyBundle => {
    const bundle = given.bundle ?? pushed.get(nameOf(tenant, layer, given.digest ?? ''));
    if (!bundle) throw new GateError('VERSION_UNKNOWN', 'No such bundle was pushed');
    pushed.set(nameOf(tenant, layer, digestOf(bundle)), bundle as PolicyBundle);
    return bundle as PolicyBundle;
  };
  return {
    'policy.push-bundle': async ({ layer, bundle }, { tenant }) => {
      const digest = digestOf(bundleOf(tenant, layer, { bundle }));
      return { sequence: 1, digest, warnings: [] };
    },
    'policy.activate-bundle': async ({ layer, at, ...given }, { tenant, ...of }) => {
      const bundle = bundleOf(tenant, layer, given);
      const digest = digestOf(bundle);
      const sealed = await seal(bundle, { blobs, tenant });
      const written = await policies.transact(policyKey(tenant, layer), ({ state }) => {
        const version = Math.max(0, ...state.versions.keys()) + 1;
        if (state.versions.get(version - 1)?.digest === digest) return { reply: { repeated: true, version: version - 1 } };
        return { event: { type: 'policy.BundleActivated', data: { version, digest, bundle: sealed, by: of.principal, at } }, reply: { repeated: false, version } };
      }, metaOf(of));
      return { ...accepted(written), digest, warnings: [] };
    },
    'policy.roll-back': async ({ layer, version, at }, { tenant, ...of }) => {
      const written = await policies.transact(policyKey(tenant, layer), ({ state }) => {
        const last = Math.max(0, ...state.versions.keys());
        const to = version ?? last - 1;
        const found = state.versions.get(to);
        if (!found) throw new GateError('VERSION_UNKNOWN');
        return { event: { type: 'policy.BundleActivated', data: { version: last + 1, digest: found.digest, bundle: found.bundle, rolledBackTo: to, by: of.principal, at } }, reply: { repeated: false, version: last + 1 } };
      }, metaOf(of));
      return { ...accepted(written), digest: '', warnings: [] };
    },
    'policy.choose-shadow': async ({ at, ...given }, { tenant, ...of }) => {
      const bundle = given.bundle || given.digest ? bundleOf(tenant, 'rules', given) : undefined;
      const shadow = bundle ? { digest: digestOf(bundle), bundle: await seal(bundle, { blobs, tenant }) } : {};
      return accepted(await policies.transact(policyKey(tenant), () => ({ event: { type: 'policy.ShadowChosen', data: { ...shadow, by: of.principal, at } }, reply: { repeated: false } }), metaOf(of)));
    },
    'policy.revoke-grant': async ({ grantId, reason, at }, { tenant, ...of }) => accepted(await grants.transact<{ repeated: boolean }>(grantKey(tenant, grantId), ({ state }) => {
      if (!state.active) throw new GateError('NOT_FOUND');
      const event: GrantEvent = { type: 'grant.Revoked', data: { by: of.principal, ...(reason ? { reason } : {}), at } };
      return state.revoked ? { reply: { repeated: true } } : { event, reply: { repeated: false } };
    }, metaOf(of))),
  };
}
