import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { InsertOnlyTables1767225600001 } from './migrations/0001-tables.js';
import { Guards1767225600002 } from './migrations/0002-guards.js';
import { ItemStates1767225600003 } from './migrations/0003-item-states.js';
import { Grants1767225600004 } from './migrations/0004-grants.js';
import { Rebuilds1767225600005 } from './migrations/0005-rebuilds.js';
import { Decisions1767225600006 } from './migrations/0006-decisions.js';
import { DecisionGrants1767225600007 } from './migrations/0007-decision-grants.js';
import { prepareRoles, type AuditPasswords } from './roles.js';
import { LIVE_SCHEMA } from './sql.js';

/**
 * Makes roles, schema and tables, or brings them up to this build. Part of the set-up, never of a service: no service
 * holds the administrator's URL. Idempotent; two at once wait for each other.
 * @param adminUrl PostgreSQL 15 or newer, as a role that may create roles
 */
export async function migrateAuditStore(options: { readonly adminUrl: string; readonly passwords: AuditPasswords }): Promise<{ readonly migrations: readonly string[] }> {
  const admin = new DataSource({
    type: 'postgres',
    url: options.adminUrl,
    schema: LIVE_SCHEMA,
    poolSize: 2,
    migrationsTableName: 'migrations',
    migrations: [
      InsertOnlyTables1767225600001, Guards1767225600002, ItemStates1767225600003, Grants1767225600004, Rebuilds1767225600005, Decisions1767225600006,
      DecisionGrants1767225600007,
    ],
  });
  await admin.initialize();
  const lock = admin.createQueryRunner();
  try {
    await requireServer(admin);
    await lock.query(`SELECT pg_advisory_lock(hashtextextended('countersign.migrate', 0))`);
    await prepareRoles(admin, options.passwords);
    const done = await admin.runMigrations({ transaction: 'each' });
    return { migrations: done.map((migration) => migration.name) };
  } finally {
    await lock.query(`SELECT pg_advisory_unlock_all()`).catch(() => undefined);
    await lock.release();
    await admin.destroy();
  }
}

async function requireServer(admin: DataSource): Promise<void> {
  const [{ version }] = await admin.query(`SELECT current_setting('server_version_num')::int AS version`);
  if (version < 150_000) throw new Error(`The audit needs PostgreSQL 15 or newer; this server says ${version}`);
}
