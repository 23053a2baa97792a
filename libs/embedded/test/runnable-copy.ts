import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** Writes sources of this library as JavaScript to `target`, so that a spec can run them in a process of its own. */
export async function runnableCopy(files: readonly string[], target: string): Promise<string> {
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'package.json'), '{"type":"module"}');
  for (const file of files) {
    const source = await readFile(fileURLToPath(new URL(`../src/${file}`, import.meta.url)), 'utf8');
    const { code } = await transform(source, { filename: file, jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, swcrc: false });
    await writeFile(join(target, file.replace(/\.ts$/, '.js')), code);
  }
  return target;
}
