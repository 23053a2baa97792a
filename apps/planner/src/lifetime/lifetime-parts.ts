import type { ServiceLogger } from '@countersign/service-host';
import type { PlannerStores } from '../stores.js';
import type { OpenPlans } from './open-plans.js';
import type { PlanClock } from './plan-clock.js';
import type { SessionClock } from './session-clock.js';

/** What the beginning and the end of sessions need; made once for the service. */
export interface LifetimeParts {
  readonly stores: PlannerStores;
  readonly planClock: PlanClock;
  readonly sessionClock: SessionClock;
  readonly openPlans: OpenPlans;
  readonly now: () => Date;
  readonly logger: ServiceLogger;
}
