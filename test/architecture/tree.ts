import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSpecOnly, isSuite } from '../../scripts/support/spec-files.mjs';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What is, or is about to be, in the repository: tracked files and new ones that nothing ignores. */
export function repositoryFiles(): string[] {
  const output = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(output.split('\0'))].filter((path) => path !== '' && existsSync(join(ROOT, path))).sort();
}

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const sizeOf = (path: string): number => statSync(join(ROOT, path)).size;
export const exists = (path: string): boolean => existsSync(join(ROOT, path));

export function foldersIn(parent: string): string[] {
  return readdirSync(join(ROOT, parent), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => `${parent}/${entry.name}`);
}

/** Folders of packages below `apps` or `libs`. */
export const packagesIn = (...parents: string[]): string[] => parents.flatMap(foldersIn).filter((folder) => exists(`${folder}/package.json`));

const BINARY = /\.(png|jpg|ico|gz|woff2?|pdf)$/;
export const isText = (path: string): boolean => !BINARY.test(path);

/** Code that ships: no specs, nothing that only they use, and no suites that libs export for specs. */
export const isShippedSource = (path: string): boolean => /^(apps|libs)\/.*\/src\/.*\.ts$/.test(path) && !isSpecOnly(path) && !isSuite(path);
export const isSpec = (path: string): boolean => path.endsWith('.spec.ts');
