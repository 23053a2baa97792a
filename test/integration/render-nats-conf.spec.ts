import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HOOKS = fileURLToPath(new URL('../../libs/transport-jetstream/test/ts-hooks.mjs', import.meta.url));
const RENDER = fileURLToPath(new URL('../../deploy/render-nats-conf.mjs', import.meta.url));

describe('rendering the configuration of a broker', () => {
  let folder: string;
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'render-')); });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const render = () => promisify(execFile)(process.execPath, ['--conditions=source', '--import', HOOKS, RENDER, '--out', folder], { env: { ...process.env, NODE_OPTIONS: '' } });
  const file = (name: string) => join(folder, name);
  const modeOf = async (name: string) => (await stat(file(name))).mode & 0o777;

  it('keeps the passwords to their owner, also where they lay open, and keeps them at all', async () => {
    await render();
    const passwords = await readFile(file('credentials.json'), 'utf8');
    await chmod(file('nats.conf'), 0o644);
    const before = (await stat(file('nats.conf'))).ino;
    await render();
    expect([await modeOf('nats.conf'), await modeOf('credentials.json')]).toEqual([0o600, 0o600]);
    // Another file in its place: whoever reads it while it is written reads the old one to its end.
    expect((await stat(file('nats.conf'))).ino).not.toBe(before);
    expect(await readFile(file('credentials.json'), 'utf8')).toBe(passwords);
    expect((await readdir(folder)).sort()).toEqual(['credentials.json', 'nats.conf']);
  }, 60_000);
});
