import { migrateAuditStore, openAuditStore } from './index.js';
import { auditRoles, auditUrls } from './roles.js';
import { AuditDatabases, PASSWORDS, runAs } from '../test/audit-database.js';

let databases: AuditDatabases;
beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());

describe('the audit’s roles', () => {
  it('are each database’s own: another installation on the same server changes no password of the first', async () => {
    const first = await databases.create();
    const second = await databases.create();
    await migrateAuditStore({ adminUrl: second.adminUrl, passwords: { projector: 'another-projector', rebuilder: 'another-rebuilder', reader: 'another-reader!!!' } });
    const store = await openAuditStore({ url: first.adminUrl, passwords: PASSWORDS });
    expect(await store.checkpoints()).toEqual({ GATE: 0, CATALOG: 0 });
    await store.close();
    await expect(openAuditStore({ url: second.adminUrl, passwords: PASSWORDS })).rejects.toThrow(/password/);
    // Nor may a role of one do anything in the other.
    const across = new URL(first.urls.projector);
    across.pathname = new URL(second.adminUrl).pathname;
    await expect(runAs(across.toString(), 'SELECT * FROM audit.checkpoints')).rejects.toThrow(/permission denied/);
  });

  it('leave the database to whoever used it before', async () => {
    const { adminUrl } = await databases.create();
    await runAs(adminUrl, `CREATE ROLE guest LOGIN PASSWORD 'password-of-a-guest'`);
    const guest = new URL(adminUrl);
    guest.username = 'guest';
    guest.password = 'password-of-a-guest';
    expect(await runAs(guest.toString(), 'CREATE TEMPORARY TABLE mine AS SELECT 1 AS n', 'SELECT n FROM mine')).toEqual([{ n: 1 }]);
    await expect(runAs(guest.toString(), 'SELECT * FROM audit.checkpoints')).rejects.toThrow(/permission denied for schema audit/);
  });

  it('are not put beside a schema of somebody else’s that has our name', async () => {
    await runAs(databases.server.url, 'CREATE DATABASE taken');
    const taken = new URL(databases.server.url);
    taken.pathname = '/taken';
    await runAs(taken.toString(), 'CREATE SCHEMA audit');
    await expect(migrateAuditStore({ adminUrl: taken.toString(), passwords: PASSWORDS })).rejects.toThrow(/belongs to .* and not to countersign_taken_owner/);
    expect(await runAs(taken.toString(), `SELECT rolname FROM pg_roles WHERE rolname LIKE 'countersign_taken%'`)).toEqual([]);
  });

  it('have plain names of a length that the server keeps whole, whatever the database is called', () => {
    expect(auditRoles('countersign').reader).toBe('countersign_reader');
    const names = ['prod', 'Prod', 'a-b', 'ä', 'x'.repeat(63), `${'x'.repeat(62)}y`].map((database) => auditRoles(database).projector);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]{0,62}$/);
    expect(() => auditUrls('postgres://localhost', PASSWORDS)).toThrow(/names no database/);
  });
});
