import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { chooseDatabase } from './choose-database.js';
import { startPostgres, type PostgresServer } from './postgres.js';

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  let dir: string;
  let server: PostgresServer;
  // A private folder, as a clone of root's often lies in one: the server's own user could not enter it by itself.
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'postgres of a test '));
    server = await startPostgres({ dir });
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('keeps what was committed over a crash, and starts although the lock names a process that lives', async () => {
    await query(server.url, "CREATE TABLE kept AS SELECT 'here' AS word");
    await server.kill();
    const lock = join(dir, 'data', 'postmaster.pid');
    const lines = (await readFile(lock, 'utf8')).split('\n');
    await writeFile(lock, [String(process.ppid), ...lines.slice(1)].join('\n'));
    server = await startPostgres({ dir });
    expect(await query(server.url, 'SELECT word FROM kept')).toEqual([{ word: 'here' }]);
  }, 60_000);

  it('does not run as root, listens on loopback only and keeps the password to its owner', async () => {
    expect((await query(server.url, 'SHOW listen_addresses'))[0]).toEqual({ listen_addresses: '127.0.0.1' });
    if (process.platform === 'linux') expect((await stat(`/proc/${server.pid}`)).uid).not.toBe(0);
    expect((await stat(join(dir, 'password'))).mode & 0o077).toBe(0);
  });

  it('refuses a second server on the same data, and leaves the first alone', async () => {
    await expect(startPostgres({ dir })).rejects.toThrow(/seems to run already[^]*COUNTERSIGN_STATE/);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }, 30_000);

  it('says what the server said when it cannot start', async () => {
    const other = await mkdtemp(join(tmpdir(), 'postgres-'));
    const port = Number(new URL(server.url).port);
    await expect(startPostgres({ dir: other, port })).rejects.toThrow(/could not bind/);
    await rm(other, { recursive: true, force: true });
  }, 60_000);

  describe('chooseDatabase', () => {
    it('takes DATABASE_URL when it is set and leaves that server alone', async () => {
      const database = await chooseDatabase({ DATABASE_URL: server.url }, { dir: join(dir, 'unused') });
      expect(database).toMatchObject({ kind: 'given', url: server.url });
      await database.stop();
      expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    it('starts an embedded one when it is not', async () => {
      const other = await mkdtemp(join(tmpdir(), 'postgres-'));
      const database = await chooseDatabase({}, { dir: other });
      expect(database.kind).toBe('embedded');
      await query(database.url, 'SELECT 1');
      await database.stop();
      await expect(query(database.url, 'SELECT 1')).rejects.toThrow();
      await rm(other, { recursive: true, force: true });
    }, 60_000);

    it('refuses one that does not answer, and never shows the password', async () => {
      const refusal = await chooseDatabase({ DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x' }, { dir }).catch((error: Error) => error.message);
      expect(refusal).toMatch(/127\.0\.0\.1:1.*cannot be reached/);
      expect(refusal).not.toContain('hidden');
    });
  });
});
