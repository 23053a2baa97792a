import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { choosePort } from './port.js';

describe('the port of the gate', () => {
  let taken: Server;
  let port: number;
  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    port = (taken.address() as AddressInfo).port;
  });
  afterAll(() => taken.close());

  it('is the one that was asked for, and is refused when somebody has it: nothing else would be found there', async () => {
    await expect(choosePort({ PORT: String(port) })).rejects.toThrow(`Port ${port} (PORT) is in use`);
    const free = await choosePort({ PORT: '0' });
    expect(await choosePort({ PORT: String(free) })).toBe(free);
  });

  it.each(['-1', '65536', '80.5', 'http', '8787x'])('is not %s', async (text) => {
    await expect(choosePort({ PORT: text })).rejects.toThrow(`PORT=${text} is not a port`);
  });

  it('is one that is free where nobody asked', async () => {
    for (const env of [{}, { PORT: '' }]) {
      const server = createServer().listen(await choosePort(env), '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    }
  });
});
