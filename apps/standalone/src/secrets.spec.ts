import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@countersign/contracts';
import { loadSecrets } from './secrets.js';
import { serviceConfigs } from './service-configs.js';

describe('the secrets of an installation', () => {
  let folder: string;
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'secrets-')); });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const path = (): string => join(folder, 'secrets.json');

  it('are made once, for their owner alone, and stay', async () => {
    const made = await loadSecrets(folder);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await loadSecrets(folder)).toEqual(made);
    expect(Buffer.from(made.outboundKey, 'base64')).toHaveLength(32);
    expect(Object.keys(made.broker.services).sort()).toEqual([...SERVICES].sort());
  });

  it('of an earlier release get what it did not know of, and keep the rest', async () => {
    const made = await loadSecrets(folder);
    const { outboundKey: _, ...older } = made;
    const { notifier: __, ...services } = made.broker.services;
    await writeFile(path(), JSON.stringify({ ...older, broker: { ...made.broker, services } }), { mode: 0o600 });
    const completed = await loadSecrets(folder);
    expect(completed).toEqual({ ...made, outboundKey: completed.outboundKey, broker: { ...made.broker, services: { ...services, notifier: completed.broker.services.notifier } } });
    expect(completed.broker.services.notifier.password).not.toBe('');
    expect(await loadSecrets(folder)).toEqual(completed);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path(), 'utf8'))).toEqual(completed);
  });

  it('are told to those services only that need them', async () => {
    const secrets = await loadSecrets(folder);
    const configs = serviceConfigs({ natsUrl: 'nats://127.0.0.1:1', databaseUrl: 'postgres://admin:word@127.0.0.1:2/db', port: 3 }, secrets);
    const knowing = (secret: string) => SERVICES.filter((service) => JSON.stringify(configs[service]).includes(secret));
    expect(knowing(secrets.outboundKey)).toEqual(['gateway', 'policy', 'notifier']);
    expect(knowing(JSON.stringify(secrets.assertion.privateKey).slice(1, -1))).toEqual(['gateway']);
    expect(knowing(secrets.operatorKey)).toEqual([]);
    for (const service of SERVICES) expect(knowing(secrets.broker.services[service].password)).toEqual([service]);
    expect(configs.notifier.publicUrl).toBe('http://127.0.0.1:3');
  });
});
