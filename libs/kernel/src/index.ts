export * from './canonical-json.js';
export * from './decider.js';
export * from './gate-error.js';
