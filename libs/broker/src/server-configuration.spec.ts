import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { obtainNatsServer } from '@countersign/embedded';
import { generateCredentials } from './credentials.js';
import { serverConfiguration } from './server-configuration.js';

describe('serverConfiguration', () => {
  const alone = { serverName: 'one', listen: '0.0.0.0:4222', storeDir: '/data' };
  const cluster = { name: 'countersign', listen: '0.0.0.0:6222', routes: ['nats://two:6222', 'nats://three:6222'] };

  it.each([['alone', alone], ['in a cluster', { ...alone, cluster }]])('is what the server accepts, %s', async (_name, settings) => {
    const dir = await mkdtemp(join(tmpdir(), 'conf-'));
    try {
      const file = join(dir, 'nats.conf');
      await writeFile(file, serverConfiguration(generateCredentials(), settings));
      const { stderr } = await promisify(execFile)(await obtainNatsServer(), ['-t', '-c', file]);
      expect(stderr).toMatch(/configuration file .* is valid/);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }, 60_000);
});
