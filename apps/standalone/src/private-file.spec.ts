import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-file.js';

describe('a private file', () => {
  let folder: string;
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'private-')); });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is read back as it was written, by its owner alone, and leaves no draft behind', async () => {
    const path = join(folder, 'made', 'secrets.json');
    await writePrivateJson(path, { key: 'k', n: 1 });
    expect(await readJson(path)).toEqual({ key: 'k', n: 1 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'made'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, 'made'))).toEqual(['secrets.json']);
  });

  it('that others could read is its owner’s alone once it is written again', async () => {
    const path = join(folder, 'local.json');
    await writeFile(path, '{}', { mode: 0o644 });
    await writePrivateJson(path, { key: 'k' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps the old content when the new one cannot be written', async () => {
    const path = join(folder, 'local.json');
    await writePrivateJson(path, { kept: true });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    await expect(writePrivateJson(path, circle)).rejects.toThrow(/circular/);
    expect(await readJson(path)).toEqual({ kept: true });
  });

  it('is nothing where there is none, and is named where it cannot be read', async () => {
    const path = join(folder, 'local.json');
    expect(await readJson(path)).toBeUndefined();
    await writeFile(path, '{"key":');
    await expect(readJson(path)).rejects.toThrow(`${path} is not readable JSON`);
  });
});
