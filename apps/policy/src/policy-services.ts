import { planFold } from '@countersign/domain-plan';
import { policyFold } from '@countersign/domain-policy-bundle';
import { sessionFold } from '@countersign/domain-session';
import { createAggregateStore } from '@countersign/event-log';
import type { ServiceInfra } from '@countersign/service-host';
import { Bundles } from './bundles.js';
import { Evaluation } from './evaluation.js';

export interface PolicyServices {
  readonly bundles: Bundles;
  readonly evaluation: Evaluation;
}

/** Everything policy does, put together outside of Nest, so that specs build the same. */
export function policyServices({ log, logger, now }: Pick<ServiceInfra, 'log' | 'logger' | 'now'>): PolicyServices {
  const bundles = new Bundles(log, createAggregateStore(log, policyFold));
  const stores = { plans: createAggregateStore(log, planFold), sessions: createAggregateStore(log, sessionFold) };
  return { bundles, evaluation: new Evaluation(stores, bundles, logger, now) };
}
