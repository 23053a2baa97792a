import { grantFold } from '@countersign/domain-grant';
import { planFold } from '@countersign/domain-plan';
import { policyFold } from '@countersign/domain-policy-bundle';
import { providerFold } from '@countersign/domain-provider';
import { sessionFold } from '@countersign/domain-session';
import { createAggregateStore } from '@countersign/event-log';
import { PolicyView } from '@countersign/policy-view';
import type { ServiceInfra } from '@countersign/service-host';
import { Bundles } from './bundles/bundles.js';
import { Explaining } from './checks/explaining.js';
import { Simulating } from './checks/simulating.js';
import { Grants } from './grants/grants.js';
import { Evaluation } from './judging/evaluation.js';
import type { VetoCaller } from './vetoes/veto-caller.js';
import { Vetoes } from './vetoes/vetoes.js';

export interface PolicyServices {
  readonly bundles: Bundles;
  readonly evaluation: Evaluation;
  readonly explaining: Explaining;
  readonly grants: Grants;
  readonly simulating: Simulating;
  readonly view: PolicyView;
}

export type PolicyInfra = Pick<ServiceInfra, 'log' | 'blobs' | 'logger' | 'now'> & { readonly callVeto: VetoCaller };

/** Everything policy does, put together outside of Nest, so that specs build the same. */
export function policyServices({ log, blobs, logger, now, callVeto }: PolicyInfra): PolicyServices {
  const view = new PolicyView(log, blobs);
  const plans = createAggregateStore(log, planFold);
  const sessions = createAggregateStore(log, sessionFold);
  return {
    view,
    bundles: new Bundles(createAggregateStore(log, policyFold), blobs),
    evaluation: new Evaluation({ plans, sessions, blobs }, view, new Vetoes(callVeto, blobs), logger, now),
    explaining: new Explaining(log, blobs, view, now),
    grants: new Grants({ grants: createAggregateStore(log, grantFold), plans, sessions, blobs }, view, logger, now),
    simulating: new Simulating(createAggregateStore(log, providerFold), view),
  };
}
