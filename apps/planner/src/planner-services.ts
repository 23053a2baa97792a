import { SchemaChecks } from '@countersign/providers';
import type { ServiceInfra } from '@countersign/service-host';
import { Answers } from './answers/answers.js';
import { AssertionVerifier } from './answers/assertion-verifier.js';
import { Corrections } from './answers/corrections.js';
import { Grants } from './answers/grants.js';
import type { PolicyCommands } from './answers/policy-commands.js';
import { Cancellation } from './lifetime/cancellation.js';
import { OpenPlans } from './lifetime/open-plans.js';
import { PlanClock } from './lifetime/plan-clock.js';
import { Sessions } from './lifetime/sessions.js';
import { OperationCatalogue } from './proposal/operation-catalogue.js';
import { Proposals } from './proposal/proposals.js';
import { Providers } from './registration/providers.js';
import { Tenants } from './registration/tenants.js';
import { createStores } from './stores.js';

export interface PlannerServices {
  readonly tenants: Tenants;
  readonly providers: Providers;
  readonly sessions: Sessions;
  readonly proposals: Proposals;
  readonly answers: Answers;
  readonly corrections: Corrections;
  readonly cancellation: Cancellation;
  readonly clock: PlanClock;
}

export interface PlannerInfra extends Pick<ServiceInfra, 'log' | 'blobs' | 'timers' | 'now' | 'config' | 'logger'> {
  readonly policy: PolicyCommands;
}

/** Everything planner does, put together outside of Nest, so that specs build the same. */
export function plannerServices({ log, blobs, timers, now, config, logger, policy }: PlannerInfra): PlannerServices {
  const stores = createStores(log);
  const grants = new Grants(stores, policy, now, logger);
  const clock = new PlanClock(stores, timers, now, grants);
  const verifier = new AssertionVerifier(config.assertionPublicKeys ?? {});
  const openPlans = new OpenPlans();
  const parts = { stores, blobs, catalogue: new OperationCatalogue(log, stores.providers, blobs), checks: new SchemaChecks() };
  return {
    tenants: new Tenants(stores),
    providers: new Providers(stores),
    sessions: new Sessions(stores, clock, openPlans, logger),
    proposals: new Proposals(parts, clock, openPlans),
    answers: new Answers({ stores, verifier, clock, grants, now }),
    corrections: new Corrections({ stores, verifier, clock, blobs, checks: parts.checks, now }),
    cancellation: new Cancellation(stores),
    clock,
  };
}
