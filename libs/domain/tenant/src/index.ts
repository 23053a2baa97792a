export type { TenantEvent } from './events.js';
export * from './state.js';
export * from './decisions.js';
