import { createServer, type AddressInfo } from 'node:net';

/** Ports of loopback that were free a moment ago, all different. Whoever uses them must be ready to lose the race and ask again. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = await Promise.all(Array.from({ length: count }, () => new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  })));
  const ports = holders.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(holders.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Tries `start` with fresh ports while it fails because one of them was taken meanwhile. */
export async function withFreePorts<T>(count: number, start: (ports: number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      if (attempt === 5 || !/address already in use|could not bind|in use/i.test((error as Error).message)) throw error;
    }
  }
}
