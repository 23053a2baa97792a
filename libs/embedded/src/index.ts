export * from './cache-folder.js';
export * from './obtain-nats.js';
export * from './nats.js';
