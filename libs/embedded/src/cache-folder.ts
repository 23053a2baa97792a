import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** COUNTERSIGN_CACHE, else `.countersign/cache` in the project. Holds only what can be had again. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.COUNTERSIGN_CACHE || join(projectFolder(), '.countersign', 'cache');
}

/** The nearest folder above this file whose package.json is the project's; the working folder when there is none. */
function projectFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string }).name === 'countersign') return folder;
  }
  return process.cwd();
}
