export { CountersignClient, type Wait } from './client.js';
export { CountersignError, type TransportOptions } from './http-transport.js';
export { rebuildAudit, type RebuildWatch } from './rebuild-audit.js';
export { watchApprovals, type ApprovalQueue, type ApprovalWatch } from './watch-approvals.js';
export type { ApprovalEvent } from './approval-events.js';
export type { BundleGiven, BundleOrDigest } from './bundle-body.js';
export type { ApprovalFilter, GrantFilter, InLayer } from './queries.js';
export type { LogEvent } from './event-stream.js';
