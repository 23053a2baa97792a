/** The bundle's vocabulary lives in `@countersign/contracts`, since every service speaks it. */
export type { PolicyEvent } from '@countersign/contracts';
