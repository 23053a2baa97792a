/** A plan's transitions: each says at most one event and what the caller is told, and refuses with a literal code. */
export * from './decisions/propose.js';
export * from './decisions/record-previews.js';
export * from './decisions/record-verdicts.js';
export * from './decisions/answer-items.js';
export { notByTerms, notTheirs, termsOf, type Said } from './decisions/answer-rules.js';
export * from './decisions/correct-item.js';
export { expireItems, type ItemsOverdue } from './decisions/expire-items.js';
export * from './decisions/close-plan.js';
export * from './decisions/start-apply.js';
export * from './decisions/record-outcomes.js';
