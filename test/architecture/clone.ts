import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT, repositoryFiles } from './tree.js';

export interface Clone {
  readonly root: string;
  write(file: string, source: string): void;
  read(file: string): string;
  /** Runs a Node script inside the clone; stdout and stderr together. */
  run(...args: string[]): { code: number; output: string };
  remove(): void;
}

/**
 * A fresh clone of the repository with the changes of the working tree on top, and with its dependencies linked: what
 * links to our own packages leads to the clone's, so nothing in it looks back here.
 */
export function cloneWorkingTree(): Clone {
  const root = mkdtempSync(join(tmpdir(), 'countersign-clone-'));
  const git = (...args: string[]) => execFileSync('git', ['-c', 'safe.directory=*', ...args], { stdio: 'pipe' });
  git('clone', '--quiet', '--no-hardlinks', ROOT, root);
  const files = repositoryFiles();
  const gone = git('-C', root, 'ls-files', '-z').toString().split('\0').filter((path) => path !== '' && !files.includes(path));
  for (const path of gone) rmSync(join(root, path));
  for (const path of files) cpSync(join(ROOT, path), join(root, path));
  linkDependencies(root);
  return {
    root,
    write(file, source) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), source);
    },
    read: (file) => readFileSync(join(root, file), 'utf8'),
    run: (...args) => runIn(root, args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function linkDependencies(root: string): void {
  const from = join(ROOT, 'node_modules');
  const to = join(root, 'node_modules');
  mkdirSync(join(to, '@countersign'), { recursive: true });
  for (const name of readdirSync(from).filter((entry) => entry !== '@countersign' && entry !== '.cache')) {
    symlinkSync(join(from, name), join(to, name));
  }
  for (const name of readdirSync(join(from, '@countersign'))) {
    symlinkSync(readlinkSync(join(from, '@countersign', name)), join(to, '@countersign', name));
  }
}

/** Without what an outer run of jest or Nx left in the environment. */
function runIn(cwd: string, args: string[]): { code: number; output: string } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NX_|JEST_|NODE_OPTIONS$|npm_)/.test(name)));
  const result = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 200_000 });
  return { code: result.status ?? 128, output: `${result.stdout}${result.stderr}` };
}
