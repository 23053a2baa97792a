import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from './index.js';
import { BrokerBench } from '../test/broker-bench.js';

const HOOKS = fileURLToPath(new URL('../../transport-jetstream/test/ts-hooks.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../test/policy-process.ts', import.meta.url));

interface Ended { readonly code: number | null; readonly stderr: string }
interface Child { readonly child: ChildProcess; readonly ready: Promise<unknown>; readonly ended: Promise<Ended> }

function start(env: NodeJS.ProcessEnv): Child {
  const child = spawn(process.execPath, ['--conditions=source', '--import', HOOKS, MAIN], {
    env: { ...process.env, NODE_OPTIONS: '', COUNTERSIGN_CONFIG: undefined, COUNTERSIGN_LOG: 'info', ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => { stderr += chunk.toString(); });
  // not `close`: it does not come once the parent has disconnected
  const [exited, said] = [once(child, 'exit'), once(child.stderr!, 'end')];
  const ended = Promise.all([exited, said]).then(([[code]]) => ({ code: code as number | null, stderr }));
  return { child, ended, ready: Promise.race([new Promise((resolve) => child.once('message', resolve)), ended.then((end) => { throw new Error(end.stderr); })]) };
}

describe('a service’s process', () => {
  let bench: BrokerBench;
  beforeAll(async () => { bench = await BrokerBench.start(); });
  afterAll(async () => { await bench.stop(); });

  it('says when it serves, drains on SIGTERM and ends with 0; its log holds no password', async () => {
    const { child, ready, ended } = start({ COUNTERSIGN_CONFIG: await bench.configFile('policy') });
    expect(await ready).toEqual({ ready: 'policy' });
    child.kill('SIGTERM');
    child.kill('SIGINT'); // a terminal sends one to the whole group, the launcher another
    const { code, stderr } = await ended;
    expect(code).toBe(EXIT.stopped);
    const lines = stderr.trim().split('\n').map((line) => JSON.parse(line) as { level: string; message: string; service: string });
    expect(lines.map((line) => line.message)).toEqual(expect.arrayContaining(['ready', 'stopping']));
    expect(lines.every((line) => line.service === 'policy' && line.level === 'info')).toBe(true);
    expect(stderr).not.toContain(bench.config('policy').broker.password);
  });

  it('ends when the process that started it has gone', async () => {
    const { child, ready, ended } = start({ COUNTERSIGN_CONFIG: await bench.configFile('policy') });
    await ready;
    child.disconnect();
    expect((await ended).code).toBe(EXIT.stopped);
  });

  it.each([
    ['no file is named', undefined, /COUNTERSIGN_CONFIG names no file/],
    ['it is not JSON', '{"broker": hunter2', /not JSON/],
    ['a setting is missing', '{"broker":{"urls":["nats://127.0.0.1:1"],"user":"u"}}', /broker\.password must be a text/],
    ['the key for what is sent is too short', '{"broker":{"urls":["nats://127.0.0.1:1"],"user":"u","password":"p"},"outboundKey":"hunter2"}', /outboundKey must be 32 bytes in base64/],
    ['the public address holds a password', '{"broker":{"urls":["nats://127.0.0.1:1"],"user":"u","password":"p"},"publicUrl":"https://a:hunter2@gate.example"}', /publicUrl must be an http or https URL without credentials/],
  ])('refuses a configuration when %s, quoting none of it', async (_, text, says) => {
    const path = join(bench.dir, 'wrong.json');
    if (text !== undefined) await writeFile(path, text);
    const { ready, ended } = start(text === undefined ? {} : { COUNTERSIGN_CONFIG: path });
    ready.catch(() => {});
    const { code, stderr } = await ended;
    expect(code).toBe(EXIT.configuration);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('hunter2');
  });

  it('refuses to start without a broker', async () => {
    const path = join(bench.dir, 'nowhere.json');
    await writeFile(path, JSON.stringify({ broker: { ...bench.config('policy').broker, urls: ['nats://127.0.0.1:9'] } }));
    const { ready, ended } = start({ COUNTERSIGN_CONFIG: path });
    ready.catch(() => {});
    const { code, stderr } = await ended;
    expect(code).toBe(EXIT.refused);
    expect(stderr).toMatch(/policy does not start: /);
  });
});
