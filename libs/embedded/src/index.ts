export * from './cache-folder.js';
export * from './obtain-nats.js';
export * from './nats.js';
export * from './nats-cluster.js';
export * from './postgres.js';
export * from './choose-database.js';
export { freePorts } from './free-port.js';
