import { SchemaChecks } from '@countersign/providers';
import type { ServiceInfra } from '@countersign/service-host';
import { Answers } from './answers/answers.js';
import { AssertionVerifier } from './answers/assertion-verifier.js';
import { Corrections } from './answers/corrections.js';
import { Grants } from './answers/grants.js';
import type { PolicyCommands } from './answers/policy-commands.js';
import { Breaker } from './breaker/breaker.js';
import { FinalTurn } from './breaker/final-turn.js';
import { Tallies } from './breaker/tallies.js';
import { WatchedLog } from './breaker/watched-log.js';
import { Cancellation } from './lifetime/cancellation.js';
import { OpenPlans } from './lifetime/open-plans.js';
import { PlanClock } from './lifetime/plan-clock.js';
import { SessionClock } from './lifetime/session-clock.js';
import { SessionEnds } from './lifetime/session-ends.js';
import { Sessions } from './lifetime/sessions.js';
import { OperationCatalogue } from './proposal/operation-catalogue.js';
import { Proposals } from './proposal/proposals.js';
import { Providers } from './registration/providers.js';
import { TenantCare } from './registration/tenant-care.js';
import { Tenants } from './registration/tenants.js';
import { createStores, type PlannerStores } from './stores.js';

export interface PlannerServices {
  readonly tenants: Tenants;
  readonly care: TenantCare;
  readonly providers: Providers;
  readonly sessions: Sessions;
  readonly proposals: Proposals;
  readonly answers: Answers;
  readonly corrections: Corrections;
  readonly cancellation: Cancellation;
  readonly clock: PlanClock;
  readonly sessionEnds: SessionEnds;
  readonly breaker: Breaker;
}

export interface PlannerInfra extends Pick<ServiceInfra, 'log' | 'blobs' | 'timers' | 'now' | 'config' | 'logger'> {
  readonly policy: PolicyCommands;
}

/** Everything planner does, put together outside of Nest, so that specs build the same. */
export function plannerServices(infra: PlannerInfra): PlannerServices {
  const log = new WatchedLog(infra.log);
  const stores = createStores(log);
  return { ...registration(stores), ...work({ ...infra, log }, stores) };
}

const registration = (stores: PlannerStores) => ({ tenants: new Tenants(stores), providers: new Providers(stores), care: new TenantCare(stores) });

function work({ log, blobs, timers, now, config, logger, policy }: PlannerInfra & { readonly log: WatchedLog }, stores: PlannerStores) {
  const grants = new Grants(stores, policy, now, logger);
  const clock = new PlanClock(stores, timers, now, grants);
  const sessionClock = new SessionClock(timers, now);
  const verifier = new AssertionVerifier(config.assertionPublicKeys ?? {});
  const openPlans = new OpenPlans();
  const parts = { stores, blobs, catalogue: new OperationCatalogue(log, stores.providers, blobs), checks: new SchemaChecks() };
  const sessions = new Sessions({ stores, planClock: clock, sessionClock, openPlans, now, logger });
  const finalTurn = new FinalTurn(log, stores, sessions, now);
  const breaker = new Breaker({ stores, tallies: new Tallies(log), finalTurn, clock: sessionClock, now, logger });
  log.tell((key, event, position) => breaker.appended(key, event, position));
  return {
    sessions, breaker, clock,
    proposals: new Proposals(parts, clock, openPlans),
    answers: new Answers({ stores, verifier, clock, grants, now }),
    corrections: new Corrections({ stores, verifier, clock, blobs, checks: parts.checks, now }),
    cancellation: new Cancellation(stores),
    sessionEnds: new SessionEnds({ log, stores, sessions, clock: sessionClock, now }),
  };
}
