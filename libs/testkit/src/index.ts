export * from './scenario.js';
export * as planFacts from './plan-facts.js';
