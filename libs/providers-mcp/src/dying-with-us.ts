import { existsSync } from 'node:fs';

/** Part of util-linux, so on nearly every Linux machine; undefined elsewhere. */
const SETPRIV: string | undefined = process.platform === 'linux'
  ? ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
  : undefined;

/**
 * The command as one that the kernel kills when this process dies, however it dies (ADR 0011): a server that lived on could
 * finish a lost call after another executor has looked whether it took effect. Where that tool is missing, only an orderly end
 * takes the server along.
 */
export const dyingWithUs = (command: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] } =>
  (SETPRIV ? { program: SETPRIV, args: ['--pdeathsig', 'KILL', '--', command, ...args] } : { program: command, args });

/** For specs: whether the kernel does so here. */
export const killedByKernel = SETPRIV !== undefined;
