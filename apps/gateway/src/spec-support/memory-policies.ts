import { policyKey, type PolicyBundle } from '@countersign/contracts';
import { activateBundle, policyFold } from '@countersign/domain-policy-bundle';
import { InMemoryEventLog, createAggregateStore, type InMemoryBroker } from '@countersign/event-log';
import { accepted, metaOf, type Served } from './served.js';

/** Policy's part: bundles as they come, unjudged. */
export function memoryPolicies(broker: InMemoryBroker): Served {
  const policies = createAggregateStore(new InMemoryEventLog('policy', broker), policyFold);
  return {
    'policy.activate-bundle': async ({ layer, bundle, at }, { tenant, ...of }) => {
      const written = await policies.transact(policyKey(tenant, layer), ({ state }) => activateBundle(state, { bundle: bundle as PolicyBundle, by: of.principal, at }), metaOf(of));
      return { ...accepted(written), digest: written.reply.digest, warnings: [] };
    },
  };
}
