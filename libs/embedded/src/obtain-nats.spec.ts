import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAtLeast, natsVersion } from './nats-version.js';
import { obtainNatsServer } from './obtain-nats.js';
import { findOnPath } from './run-tool.js';

describe('obtainNatsServer', () => {
  let dir: string;
  let said: string[];
  const log = (line: string) => said.push(line);
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'obtain-'));
    said = [];
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const fakeServer = async (folder: string, version: string) => {
    const path = join(dir, folder, 'nats-server');
    await mkdir(join(dir, folder), { recursive: true });
    await writeFile(path, `#!/bin/sh\necho nats-server: v${version}\n`);
    await chmod(path, 0o755);
    return path;
  };

  it('takes the one named by NATS_SERVER_BIN and looks no further', async () => {
    const named = await fakeServer('named', '2.14.2');
    await expect(obtainNatsServer({ cacheDir: dir, log, env: { NATS_SERVER_BIN: named } })).resolves.toBe(named);
  });

  it('refuses a named one that is too old instead of taking another', async () => {
    const named = await fakeServer('named', '2.9.10');
    const better = await fakeServer('better', '2.15.1');
    await expect(obtainNatsServer({ cacheDir: dir, env: { NATS_SERVER_BIN: named, PATH: join(better, '..') } }))
      .rejects.toThrow(/NATS_SERVER_BIN.*2\.9\.10.*2\.14\.0 or newer/);
  });

  it('passes over an old one on the search path and takes the cache', async () => {
    const old = await fakeServer('old', '2.9.10');
    const cached = await fakeServer('nats-server', '2.15.1');
    await expect(obtainNatsServer({ cacheDir: dir, log, env: { PATH: join(old, '..') } })).resolves.toBe(cached);
    expect(said.join('\n')).toMatch(/search path: .*2\.9\.10/);
  });

  it('names every way tried and the way out when there is none', async () => {
    await expect(obtainNatsServer({ cacheDir: dir, log, env: { PATH: join(dir, 'empty') } })).rejects.toThrow(
      /2\.14\.0 or newer[^]*search path[^]*cache[^]*Debian's package: there is no apt-get[^]*go install: there is no go[^]*NATS_SERVER_BIN/,
    );
    expect(said).toHaveLength(4);
    expect(await readdir(join(dir, 'nats-server'))).toEqual([]);
  });

  it('compares versions as numbers', () => {
    expect([isAtLeast('2.9.10', '2.14.0'), isAtLeast('2.14.0', '2.14.0'), isAtLeast('3.0.0', '2.14.0')]).toEqual([false, true, true]);
  });
});

/** These reach the network as a fresh machine would; COUNTERSIGN_TEST_FETCH=1 asks for them. */
const fetching = process.env.COUNTERSIGN_TEST_FETCH ? describe : describe.skip;
fetching('fetching a server', () => {
  let dir: string;
  beforeEach(async () => { dir = await mkdtemp(join(tmpdir(), 'fetch-')); });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it("gets Debian's package where there is neither a server nor go", async () => {
    const binary = await obtainNatsServer({ cacheDir: dir, env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } });
    expect(binary.startsWith(dir)).toBe(true);
    expect(isAtLeast(await natsVersion(binary), '2.14.0')).toBe(true);
    await expect(obtainNatsServer({ cacheDir: dir, env: { PATH: '/nowhere' } })).resolves.toBe(binary);
  }, 300_000);

  it('builds one where there is only go', async () => {
    const goFolder = (await findOnPath('go', process.env))!.replace(/\/go$/, '');
    const binary = await obtainNatsServer({ cacheDir: dir, env: { ...process.env, NATS_SERVER_BIN: undefined, PATH: goFolder } });
    expect(await natsVersion(binary)).toBe('2.15.1');
  }, 900_000);
});
