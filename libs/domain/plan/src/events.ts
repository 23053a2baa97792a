/** A plan's vocabulary lives in `@countersign/contracts`, since every service speaks it. */
export type { PlanEvent } from '@countersign/contracts';
