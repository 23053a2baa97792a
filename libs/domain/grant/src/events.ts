/** A grant's vocabulary lives in `@countersign/contracts`, since every service speaks it. */
export type { GrantEvent } from '@countersign/contracts';
