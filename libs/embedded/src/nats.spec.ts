import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { startNats, type NatsServer } from './nats.js';
import { obtainNatsServer } from './obtain-nats.js';
import { runnableCopy } from '../test/runnable-copy.js';

describe('startNats', () => {
  let dir: string;
  let binary: string;
  let server: NatsServer | undefined;
  beforeAll(async () => { binary = await obtainNatsServer(); }, 300_000);
  beforeEach(async () => { dir = await mkdtemp(join(tmpdir(), 'nats of a test ')); });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await rm(dir, { recursive: true, force: true });
  });

  const open = () => connect({ servers: server!.url, reconnect: false, timeout: 2_000 });

  it('keeps messages and its port over a crash and a restart', async () => {
    server = await startNats({ binary, dir });
    const before = server.port;
    let nc = await open();
    await (await jetstreamManager(nc)).streams.add({ name: 'S', subjects: ['s.>'], storage: StorageType.File, retention: RetentionPolicy.Limits });
    await jetstream(nc).publish('s.1', 'kept');
    await server.kill();
    await server.restart();
    expect(server.port).toBe(before);
    nc = await open();
    expect((await (await jetstreamManager(nc)).streams.getMessage('S', { seq: 1 }))!.string()).toBe('kept');
    await nc.close();
  });

  it('freezes and thaws', async () => {
    server = await startNats({ binary, dir });
    const nc = await open();
    await server.pause();
    await expect(nc.request('$JS.API.INFO', '', { timeout: 300 })).rejects.toThrow();
    server.resume();
    expect((await nc.request('$JS.API.INFO', '', { timeout: 5_000 })).data.length).toBeGreaterThan(0);
    await nc.close();
  });

  it('asks for the users it was given, and for new ones after a restart', async () => {
    const users = (password: string) => `authorization { user: a, password: ${password} }`;
    server = await startNats({ binary, dir, authConf: users('one') });
    const login = (pass: string) => connect({ servers: server!.url, user: 'a', pass, reconnect: false });
    await (await login('one')).close();
    await server.restart(users('two'));
    await expect(login('one')).rejects.toThrow(/authorization/i);
    await (await login('two')).close();
  });

  it('says what the server said when it cannot start', async () => {
    await expect(startNats({ binary, dir, config: 'nonsense {' })).rejects.toThrow(/ended before it was ready[^]*nonsense|ended before it was ready[^]*unexpected/i);
  });

  it('refuses a second server on the same store, and leaves the first alone', async () => {
    server = await startNats({ binary, dir });
    await expect(startNats({ binary, dir })).rejects.toThrow(/seems to run already[^]*COUNTERSIGN_STATE/);
    await (await open()).close();
  });

  it('ends when the process that started it is killed', async () => {
    const module = await runnableCopy(['nats.ts', 'child-server.ts', 'watch-until.ts', 'setpriv.ts', 'running-process.ts', 'run-tool.ts'], join(dir, 'code'));
    const script = `
      import { startNats } from ${JSON.stringify(pathToFileURL(join(module, 'nats.js')).href)};
      const server = await startNats(${JSON.stringify({ binary, dir: join(dir, 'server') })});
      console.log(server.pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface(parent.stdout!);
    const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]) as [string?];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect(endOf(pid)).resolves.toBeUndefined();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function endOf(pid: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
