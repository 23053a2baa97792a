import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));

/** Seconds of `npm start` on an empty state, from its first instruction until it says that it is ready. @throws Error when it ends before */
export async function startSeconds(folder: string): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [START, '--no-demo'], { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, PORT: '0', COUNTERSIGN_STATE: folder } });
  const exit = once(child, 'exit');
  try {
    await Promise.race([saysReady(child.stdout), exit.then(([code]) => Promise.reject(new Error(`npm start ended with ${code} before it was ready`)))]);
    return (performance.now() - started) / 1_000;
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}

/** Goes on reading to the end: who writes must never wait for us. */
function saysReady(output: NodeJS.ReadableStream): Promise<void> {
  let said = '';
  return new Promise((resolve) => {
    output.on('data', (part: Buffer) => {
      said += part.toString();
      if (said.includes('is ready')) resolve();
    });
  });
}
