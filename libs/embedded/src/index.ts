export * from './cache-folder.js';
export * from './obtain-nats.js';
export * from './nats.js';
export * from './postgres.js';
export * from './choose-database.js';
export { freePorts } from './free-port.js';
