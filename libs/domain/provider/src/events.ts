/** A provider's vocabulary lives in `@countersign/contracts`, since every service speaks it. */
export type { ProviderEvent } from '@countersign/contracts';
