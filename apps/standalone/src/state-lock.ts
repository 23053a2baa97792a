import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One gate a state folder. A lock whose process is gone is taken over.
 * @throws Error naming the process that holds it
 */
export async function lockState(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'running.pid');
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && holder !== process.pid && isAlive(holder)) {
      throw new Error(`A gate already runs on ${folder} (process ${holder}). Stop it, or give this one another folder with COUNTERSIGN_STATE.`);
    }
    await rm(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
