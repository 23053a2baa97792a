/** A session's vocabulary lives in `@countersign/contracts`, since every service speaks it. */
export type { SessionEvent } from '@countersign/contracts';
