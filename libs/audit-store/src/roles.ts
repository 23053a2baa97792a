import type { DataSource } from 'typeorm';
import { LIVE_SCHEMA, quoted } from './sql.js';

/**
 * owner: owns the tables, cannot log in. projector: INSERT and SELECT past row-level security (COPY is refused under it),
 * checkpoints by compare-and-set only. rebuilder: reads past row-level security and makes scratch schemas, writes nothing
 * that is live. reader: SELECT under row-level security.
 */
export const ROLE = {
  owner: 'countersign_owner',
  projector: 'countersign_projector',
  rebuilder: 'countersign_rebuilder',
  reader: 'countersign_reader',
} as const;

export interface AuditPasswords {
  readonly projector: string;
  readonly rebuilder: string;
  readonly reader: string;
}

/** One URL a role, from the database's address; user and password in `url` are ignored. */
export function auditUrls(url: string, passwords: AuditPasswords): Readonly<Record<keyof AuditPasswords, string>> {
  const as = (role: keyof AuditPasswords): string => {
    const address = new URL(url);
    address.username = ROLE[role];
    address.password = encodeURIComponent(passwords[role]);
    return address.toString();
  };
  return { projector: as('projector'), rebuilder: as('rebuilder'), reader: as('reader') };
}

/** Idempotent: makes what is missing, and gives the roles these passwords. Needs a superuser, or a role that may create roles with BYPASSRLS. */
export async function prepareRoles(admin: DataSource, passwords: AuditPasswords): Promise<void> {
  await admin.transaction(async (manager) => {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('countersign.roles', 0))`);
    const attributes: Readonly<Record<string, string>> = {
      [ROLE.owner]: 'NOLOGIN NOBYPASSRLS',
      [ROLE.projector]: `LOGIN BYPASSRLS PASSWORD ${literal(passwords.projector)}`,
      [ROLE.rebuilder]: `LOGIN BYPASSRLS PASSWORD ${literal(passwords.rebuilder)}`,
      [ROLE.reader]: `LOGIN NOBYPASSRLS PASSWORD ${literal(passwords.reader)}`,
    };
    for (const [role, attribute] of Object.entries(attributes)) {
      const [found] = await manager.query(`SELECT 1 FROM pg_roles WHERE rolname = $1`, [role]);
      await manager.query(`${found ? 'ALTER' : 'CREATE'} ROLE ${quoted(role)} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION ${attribute}`);
    }
    const [{ database }] = await manager.query(`SELECT quote_ident(current_database()) AS database`);
    await manager.query(`GRANT ${quoted(ROLE.owner)} TO CURRENT_USER`);
    await manager.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    await manager.query(`GRANT CONNECT ON DATABASE ${database} TO ${[ROLE.projector, ROLE.rebuilder, ROLE.reader].map(quoted).join(', ')}`);
    await manager.query(`GRANT CREATE ON DATABASE ${database} TO ${quoted(ROLE.rebuilder)}`);
    await manager.query(`CREATE SCHEMA IF NOT EXISTS ${quoted(LIVE_SCHEMA)} AUTHORIZATION ${quoted(ROLE.owner)}`);
  });
}

/** Role statements take no parameters. */
function literal(password: string): string {
  if (password.length < 16) throw new Error('A database password has at least 16 characters');
  if (!/^[\x20-\x7e]+$/.test(password)) throw new Error('A database password is printable ASCII');
  return `'${password.replaceAll("'", "''")}'`;
}
