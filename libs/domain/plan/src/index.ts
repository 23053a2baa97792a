export type { PlanEvent } from './events.js';
export * from './item.js';
export * from './state.js';
export * from './item-digest.js';
export * from './decisions.js';
export * from './reactions.js';
export * from './next-step.js';
export * from './outcome-matches-plan.js';
export * from './tool-result.js';
