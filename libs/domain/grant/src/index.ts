export type { GrantEvent } from './events.js';
export * from './state.js';
export * from './decisions.js';
