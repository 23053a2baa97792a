import { createHash } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { LIVE_SCHEMA, quoted } from './sql.js';

/**
 * owner: owns the tables, cannot log in. projector: INSERT and SELECT past row-level security (COPY is refused under it),
 * checkpoints by compare-and-set only. rebuilder: reads past row-level security and makes scratch schemas, writes nothing
 * that is live but how its rebuilds went. reader: SELECT under row-level security.
 */
export type RoleName = 'owner' | 'projector' | 'rebuilder' | 'reader';
export type AuditRoles = Readonly<Record<RoleName, string>>;

/**
 * The roles of one database. Roles belong to the server and not to a database: under names without the database's two
 * installations on one server would change each other's passwords.
 */
export function auditRoles(database: string): AuditRoles {
  const prefix = database === 'countersign' ? database : `countersign_${plain(database)}`;
  return { owner: `${prefix}_owner`, projector: `${prefix}_projector`, rebuilder: `${prefix}_rebuilder`, reader: `${prefix}_reader` };
}

/** A role's name has at most 63 bytes, and we write plain ones only. */
const plain = (database: string): string =>
  (/^[a-z][a-z0-9_]{0,35}$/.test(database) ? database : `x${createHash('sha256').update(database).digest('hex').slice(0, 16)}`);

export interface AuditPasswords {
  readonly projector: string;
  readonly rebuilder: string;
  readonly reader: string;
}

/** One URL a role, from the database's address; user and password in `url` are ignored. @throws Error when it names no database */
export function auditUrls(url: string, passwords: AuditPasswords): Readonly<Record<keyof AuditPasswords, string>> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  if (database === '') throw new Error('The address of the audit’s database names no database');
  const roles = auditRoles(database);
  const as = (role: keyof AuditPasswords): string => {
    const address = new URL(url);
    address.username = roles[role];
    address.password = encodeURIComponent(passwords[role]);
    return address.toString();
  };
  return { projector: as('projector'), rebuilder: as('rebuilder'), reader: as('reader') };
}

/** Of the database that a connection is in. */
export async function rolesHere(connection: { query(sql: string): Promise<unknown> }): Promise<AuditRoles> {
  const [{ database }] = (await connection.query('SELECT current_database() AS database')) as [{ database: string }];
  return auditRoles(database);
}

/**
 * Idempotent: makes what is missing, and gives the roles these passwords. Changes nothing of the database for anybody
 * else in it. Needs a superuser, or a role that may create roles with BYPASSRLS.
 * @throws Error when the database has a schema of that name that is not ours
 */
export async function prepareRoles(admin: DataSource, passwords: AuditPasswords): Promise<void> {
  const roles = await rolesHere(admin);
  await admin.transaction(async (manager) => {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('countersign.roles', 0))`);
    await requireOurSchema(manager, roles.owner);
    const attributes: Readonly<Record<RoleName, string>> = {
      owner: 'NOLOGIN NOBYPASSRLS',
      projector: `LOGIN BYPASSRLS PASSWORD ${literal(passwords.projector)}`,
      rebuilder: `LOGIN BYPASSRLS PASSWORD ${literal(passwords.rebuilder)}`,
      reader: `LOGIN NOBYPASSRLS PASSWORD ${literal(passwords.reader)}`,
    };
    for (const role of Object.keys(attributes) as RoleName[]) {
      const [found] = await manager.query(`SELECT 1 FROM pg_roles WHERE rolname = $1`, [roles[role]]);
      await manager.query(`${found ? 'ALTER' : 'CREATE'} ROLE ${quoted(roles[role])} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION ${attributes[role]}`);
    }
    const [{ database }] = await manager.query(`SELECT quote_ident(current_database()) AS database`);
    await manager.query(`GRANT ${quoted(roles.owner)} TO CURRENT_USER`);
    await manager.query(`GRANT CONNECT ON DATABASE ${database} TO ${[roles.projector, roles.rebuilder, roles.reader].map(quoted).join(', ')}`);
    await manager.query(`GRANT CREATE ON DATABASE ${database} TO ${quoted(roles.rebuilder)}`);
    await manager.query(`CREATE SCHEMA IF NOT EXISTS ${quoted(LIVE_SCHEMA)} AUTHORIZATION ${quoted(roles.owner)}`);
    await manager.query(`REVOKE ALL ON SCHEMA ${quoted(LIVE_SCHEMA)} FROM PUBLIC`);
  });
}

async function requireOurSchema(manager: EntityManager, owner: string): Promise<void> {
  const [found] = await manager.query(`SELECT pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = $1`, [LIVE_SCHEMA]);
  if (found && found.owner !== owner) {
    throw new Error(`The database has a schema ‘${LIVE_SCHEMA}’ that belongs to ${found.owner} and not to ${owner}: give the audit a database of its own`);
  }
}

/** Role statements take no parameters. */
function literal(password: string): string {
  if (password.length < 16) throw new Error('A database password has at least 16 characters');
  if (!/^[\x20-\x7e]+$/.test(password)) throw new Error('A database password is printable ASCII');
  return `'${password.replaceAll("'", "''")}'`;
}
