export type { ProviderEvent } from './events.js';
export * from './state.js';
export * from './check-catalogue.js';
export * from './decisions.js';
