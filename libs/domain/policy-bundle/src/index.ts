export type { PolicyEvent } from './events.js';
export * from './state.js';
export * from './decisions.js';
export * from './room.js';
