/** A tenant's vocabulary lives in `@countersign/contracts`, since every service speaks it. */
export type { TenantEvent } from '@countersign/contracts';
