export type { SessionEvent } from './events.js';
export * from './state.js';
export * from './decisions.js';
export * from './tally.js';
export * from './trip.js';
