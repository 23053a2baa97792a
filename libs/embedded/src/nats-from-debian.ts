import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, runTool } from './run-tool.js';

/** Debian's suite of packages to come; its nats-server runs on older releases, since it needs nothing but libc. */
const SUITE = 'testing';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const INDEX_TIMEOUT_MS = 180_000;

/** Whatever the machine's own configuration says, nothing unsigned is taken. */
const SIGNED_ONLY = [
  '-o', 'Acquire::AllowInsecureRepositories=false', '-o', 'Acquire::AllowWeakRepositories=false',
  '-o', 'Acquire::AllowDowngradeToInsecureRepositories=false', '-o', 'APT::Get::AllowUnauthenticated=false',
];

/**
 * Fetches Debian's own nats-server package from the archive this machine is configured for, in a newer suite, and
 * unpacks the program to `target`. Needs no root and installs nothing: lists, cache and sources are private. The
 * archive's signature covers the index, and the index the package.
 * @throws Error when this is no Debian, or no configured archive has the package
 */
export async function natsFromDebian(target: string, env: NodeJS.ProcessEnv, log: (line: string) => void): Promise<void> {
  for (const tool of ['apt-get', 'dpkg']) {
    if (!await findOnPath(tool, env)) throw new Error(`there is no ${tool} on this machine`);
  }
  const archives = await configuredArchives(env);
  if (archives.length === 0) throw new Error('apt-get knows of no package archive');
  const failures: string[] = [];
  for (const archive of archives) {
    const work = await mkdtemp(join(tmpdir(), 'countersign-apt-'));
    try {
      log(`asking the machine's package archive ${archive} for nats-server in suite ${SUITE}`);
      await fetchAndUnpack(archive, work, target, env);
      return;
    } catch (error) {
      failures.push((error as Error).message);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  throw new Error(failures.join('; '));
}

/** The archives in the machine's sources, each once, also on a machine that never fetched an index. */
async function configuredArchives(env: NodeJS.ProcessEnv): Promise<string[]> {
  const format = ['--no-release-info', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const said = await runTool('apt-get', format, { timeoutMs: 30_000, env });
  return [...new Set(said.split('\n').map((line) => line.trim()).filter(Boolean))];
}

async function fetchAndUnpack(archive: string, work: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  const apt = await privateApt(archive, work);
  const options = { timeoutMs: INDEX_TIMEOUT_MS, env, cwd: work };
  await runTool('apt-get', ['update', ...apt], options);
  await runTool('apt-get', ['download', 'nats-server', ...apt], options);
  const file = (await readdir(work)).find((name) => name.endsWith('.deb'));
  if (!file) throw new Error(`apt-get downloaded no package from ${archive}`);
  await runTool('dpkg', ['-x', join(work, file), join(work, 'unpacked')], options);
  const program = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(work, 'unpacked', path)).find((path) => existsSync(path));
  if (!program) throw new Error(`${file} holds no nats-server`);
  await copyFile(program, target);
}

async function privateApt(archive: string, work: string): Promise<string[]> {
  await mkdir(join(work, 'lists', 'partial'), { recursive: true });
  await mkdir(join(work, 'cache', 'archives', 'partial'), { recursive: true });
  const signedBy = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
  await writeFile(join(work, 'sources.list'), `deb ${signedBy}${archive} ${SUITE} main\n`);
  return [
    '-o', `Dir::Etc::SourceList=${join(work, 'sources.list')}`, '-o', 'Dir::Etc::SourceParts=/dev/null',
    '-o', `Dir::State::Lists=${join(work, 'lists')}`, '-o', `Dir::Cache=${join(work, 'cache')}`,
    '-o', 'APT::Sandbox::User=', '-o', 'APT::Update::Error-Mode=any', '-o', 'Acquire::Languages=none',
    '-o', 'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false', '-o', 'Acquire::Retries=2', ...SIGNED_ONLY,
  ];
}
