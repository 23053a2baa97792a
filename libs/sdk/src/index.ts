export { CountersignClient, type Wait } from './client.js';
export { CountersignError, type TransportOptions } from './http-transport.js';
export { rebuildAudit, type RebuildWatch } from './rebuild-audit.js';
export type { LogEvent } from './event-stream.js';
