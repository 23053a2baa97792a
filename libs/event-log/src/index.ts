export * from './event-log.js';
export * from './seal.js';
export * from './aggregate-store.js';
