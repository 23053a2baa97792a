import { createServer } from 'node:net';

const DEFAULT_PORT = 8787;

/**
 * The HTTP port: PORT, which must be free, else 8787 or, when that is taken, any free one.
 * @throws Error when PORT is no port or is in use
 */
export async function choosePort(env: NodeJS.ProcessEnv): Promise<number> {
  const wanted = env['PORT'];
  if (wanted === undefined || wanted === '') return (await freePort(DEFAULT_PORT)) ?? (await freePort(0))!;
  const port = Number(wanted);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`PORT=${wanted} is not a port`);
  const free = await freePort(port);
  if (free === undefined) throw new Error(`Port ${port} (PORT) is in use; choose another or stop what uses it`);
  return free;
}

/** The port itself when it can be listened on (0: whichever is free), else undefined. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
