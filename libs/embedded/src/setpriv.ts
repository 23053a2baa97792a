import { existsSync } from 'node:fs';

/** Part of util-linux, so on nearly every Linux machine; undefined elsewhere. */
export const SETPRIV: string | undefined = process.platform === 'linux'
  ? ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
  : undefined;
