import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type PostgresServer } from '@countersign/embedded';
import { migrateAuditStore } from '../src/migrate.js';
import { auditRoles, auditUrls, type AuditPasswords } from '../src/roles.js';

export const PASSWORDS: AuditPasswords = {
  projector: 'projector-of-a-spec', rebuilder: 'rebuilder-of-a-spec', reader: "reader-of-a'spec@/:",
};

export interface AuditDatabase {
  readonly adminUrl: string;
  readonly urls: Readonly<Record<keyof AuditPasswords, string>>;
  /** The role that owns its tables. */
  readonly owner: string;
}

/** A real server of its own, and as many databases in it as a spec wants. */
export class AuditDatabases {
  private made = 0;
  private constructor(private readonly dir: string, public server: PostgresServer) {}

  static async start(): Promise<AuditDatabases> {
    const dir = await mkdtemp(join(tmpdir(), 'audit-'));
    const server = await startPostgres({ dir });
    return new AuditDatabases(dir, server);
  }

  async create(): Promise<AuditDatabase> {
    this.made += 1;
    const name = `copy_${this.made}`;
    await runAs(this.server.url, `CREATE DATABASE ${name}`);
    const address = new URL(this.server.url);
    address.pathname = `/${name}`;
    const adminUrl = address.toString();
    await migrateAuditStore({ adminUrl, passwords: PASSWORDS });
    return { adminUrl, urls: auditUrls(adminUrl, PASSWORDS), owner: auditRoles(name).owner };
  }

  /** SIGKILL and a start on the same port. */
  async crash(): Promise<void> {
    const port = Number(new URL(this.server.url).port);
    await this.server.kill();
    this.server = await startPostgres({ dir: this.dir, port });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}

export async function runAs<Row = Record<string, unknown>>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
}
