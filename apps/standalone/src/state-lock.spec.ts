import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockState } from './state-lock.js';

describe('the lock of a state folder', () => {
  let folder: string;
  const path = () => join(folder, 'running.pid');
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'lock-')); });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('lets one in at a time, and leaves nothing behind', async () => {
    const unlock = await lockState(folder);
    await expect(lockState(folder)).rejects.toThrow(`process ${process.pid}`);
    await unlock();
    await (await lockState(folder))();
    expect(await readdir(folder)).toEqual([]);
  });

  it('lets one of many in that come at once, over a lock that nobody holds any more too', async () => {
    await writeFile(path(), '');
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockState(folder)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(Number((await readFile(path(), 'utf8')).split('\n')[0])).toBe(process.pid);
    expect(await readdir(folder)).toEqual(['running.pid']);
  });

  it('is not held by a program that got the number of a gate since', async () => {
    await writeFile(path(), `${process.ppid}\nstarted at another time\n`);
    await (await lockState(folder))();
    await writeFile(path(), String(process.ppid));
    await (await lockState(folder))();
  });

  it('is not held by a process that has ended', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    await writeFile(path(), `${child.pid}\n1\n`);
    await (await lockState(folder))();
  });
});
