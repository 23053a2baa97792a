export type { StoredEventRaw } from './raw-event.js';
export { openAuditStore, type AuditStore, type AuditStoreOptions } from './store.js';
export { migrateAuditStore } from './migrate.js';
export { auditUrls, ROLE, type AuditPasswords } from './roles.js';
export type { Projected, Quarantined } from './projection.js';
export type { Checkpoints } from './checkpoints.js';
export type { Leadership } from './leadership.js';
export type { LogSource } from './rebuild.js';
export { TABLES, type TableName } from './tables.js';
