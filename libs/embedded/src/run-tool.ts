import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export interface ToolOptions {
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly identity?: { readonly uid: number; readonly gid: number };
}

/** Runs a program of the machine and gives its standard output. @throws Error with the last lines it wrote to standard error */
export function runTool(program: string, args: readonly string[], options: ToolOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const settings = { timeout: options.timeoutMs, env: options.env ?? process.env, cwd: options.cwd, uid: options.identity?.uid, gid: options.identity?.gid, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, args, settings, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const said = stderr.trim().split('\n').slice(-4).join(' / ');
      const why = error.killed ? `did not end within ${options.timeoutMs} ms` : said || error.message;
      reject(new Error(`${program} ${args[0] ?? ''}: ${why}`));
    });
  });
}

/** Where a program stands in the search path; undefined when it does not. */
export async function findOnPath(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, program);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export const isExecutable = (path: string): Promise<boolean> => access(path, constants.X_OK).then(() => true, () => false);
