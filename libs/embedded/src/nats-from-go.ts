import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NATS_PREFERRED } from './nats-version.js';
import { findOnPath, runTool } from './run-tool.js';

const BUILD_TIMEOUT_MS = 600_000;

/** Builds the pinned version with the machine's Go; Go's checksum database verifies the sources. @throws Error */
export async function natsFromGo(target: string, env: NodeJS.ProcessEnv, log: (line: string) => void): Promise<void> {
  if (!await findOnPath('go', env)) throw new Error('there is no go on this machine');
  log(`building nats-server ${NATS_PREFERRED} with go; this takes a minute or two`);
  const bin = await mkdtemp(join(dirname(target), 'go-'));
  try {
    await runTool('go', ['install', `github.com/nats-io/nats-server/v2@v${NATS_PREFERRED}`], {
      timeoutMs: BUILD_TIMEOUT_MS, env: { ...env, GOBIN: bin, GOFLAGS: '' },
    });
    await rename(join(bin, 'nats-server'), target);
  } finally {
    await rm(bin, { recursive: true, force: true });
  }
}
