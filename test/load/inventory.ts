import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { obtainNatsServer } from '@countersign/embedded';
import pg from 'pg';

/** What the figures were measured with: absolute figures mean nothing without it. */
export async function versionsBefore(): Promise<string> {
  const nats = await promisify(execFile)(await obtainNatsServer(), ['--version']);
  return `node ${process.versions.node}, nats-server ${nats.stdout.trim().replace(/^.*v/, '')}`;
}

export async function databaseVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return `PostgreSQL ${rows[0]?.server_version}, synchronous_commit as it comes`;
  } finally {
    await client.end();
  }
}
