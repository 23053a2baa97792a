import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '@countersign/sdk';
import { connectionOf, toldOf } from './connection.js';

describe('which gate is meant', () => {
  let root: string;
  const state = { url: 'http://127.0.0.1:1', tenant: 'local', key: 'csk_local_k_x', operatorKey: 'cso_x', demo: { agentKey: 'a', operatorKey: 'b' } };
  const env = () => ({ COUNTERSIGN_STATE: root });
  beforeEach(async () => { root = await mkdtemp(join(tmpdir(), 'cli-')); });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const started = () => writeFile(join(root, 'local.json'), JSON.stringify(state));

  it('is that of the flags, then of the environment, then the one that ran here', async () => {
    await started();
    expect(connectionOf({}, root, env())).toMatchObject({ url: state.url, apiKey: state.key, local: state });
    const named = { ...env(), COUNTERSIGN_URL: 'http://env', COUNTERSIGN_KEY: 'env-key' };
    const { client: _client, ...connection } = connectionOf({}, root, named);
    expect(connection).toEqual({ url: 'http://env', apiKey: 'env-key' });
    expect(connectionOf({ url: 'http://flag' }, root, named)).toMatchObject({ url: 'http://flag', apiKey: 'env-key' });
  });

  it('never sends the key that was made here to an address that somebody named', async () => {
    await started();
    expect(() => connectionOf({ url: 'http://elsewhere' }, root, env())).toThrow('--key');
  });

  it('is asked in the operator’s name with the operator’s key, never with a tenant’s from the environment', async () => {
    await started();
    const named = { ...env(), COUNTERSIGN_KEY: 'env-key' };
    expect(connectionOf({}, root, named, 'operator')).toMatchObject({ url: state.url, apiKey: 'cso_x', local: state });
    expect(connectionOf({}, root, { ...named, COUNTERSIGN_OPERATOR_KEY: 'cso_env' }, 'operator')).toMatchObject({ apiKey: 'cso_env' });
    expect(() => connectionOf({ url: 'http://elsewhere' }, root, named, 'operator')).toThrow('COUNTERSIGN_OPERATOR_KEY');
  });

  it('is none when none ever ran and none is named', () => {
    expect(() => connectionOf({}, root, env())).toThrow('No gate is known');
  });

  describe('and it does not answer', () => {
    const refusal = async (run: () => Promise<unknown>): Promise<unknown> => run().then(() => { throw new Error('it was answered'); }, (error: unknown) => error);

    it('then the file is stale: the gate does not run', async () => {
      await started();
      const connection = connectionOf({}, root, env());
      const told = toldOf(await refusal(() => connection.client().policy()), connection);
      expect(told).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/does not run.*npm start/) });
      expect((told as Error).message).toContain(join(root, 'local.json'));
    });

    it('or something else answers in its place', async () => {
      const other = createServer((_request, response) => { response.writeHead(404).end('<html>'); });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      await writeFile(join(root, 'local.json'), JSON.stringify({ ...state, url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` }));
      const connection = connectionOf({}, root, env());
      const told = toldOf(await refusal(() => connection.client().policy()), connection);
      await new Promise((resolve) => other.close(resolve));
      expect((told as Error).message).toMatch(/something else.*npm start/);
    });

    it('or it does not know the key', async () => {
      await started();
      const told = toldOf(new CountersignError('UNAUTHENTICATED', 401, 'No valid API key was given'), connectionOf({}, root, env()));
      expect((told as Error).message).toMatch(/does not know the key/);
    });

    it('and a gate that was named is not said to be ours', async () => {
      await started();
      const connection = connectionOf({ url: 'http://127.0.0.1:1', key: 'k' }, root, env());
      const error = await refusal(() => connection.client().policy());
      expect(toldOf(error, connection)).toBe(error);
    });
  });
});
