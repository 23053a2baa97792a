import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTenant } from './tenant.js';

/** A gate that knows of tenants and keys, and of nothing else. */
class KeyGate {
  readonly asked: { readonly path: string; readonly key: string; readonly body: { readonly principal?: string } }[] = [];
  private readonly tenants = new Set<string>();
  private keys = 0;
  private readonly server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => { text += chunk.toString(); }).on('end', () => {
      const body = JSON.parse(text) as { tenantId?: string; principal?: string };
      this.asked.push({ path: request.url ?? '', key: request.headers.authorization ?? '', body });
      const [status, answer] = this.answer(request.url ?? '', body.tenantId);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(path: string, tenantId: string | undefined): [number, object] {
    const key = { key: `key-${(this.keys += 1)}` };
    if (path !== '/v1/tenants') return [201, key];
    if (this.tenants.has(tenantId!)) return [409, { code: 'TENANT_EXISTS', title: 'It exists' }];
    this.tenants.add(tenantId!);
    return [201, { key }];
  }
}

describe('the tenant of this machine', () => {
  let gate: KeyGate;
  let folder: string;
  beforeEach(async () => {
    gate = await new KeyGate().start();
    folder = await mkdtemp(join(tmpdir(), 'tenant-'));
  });
  afterEach(async () => {
    await gate.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const ensure = (url = gate.url) => ensureTenant(folder, url, 'cso_operator');

  it('is registered on an empty state, and its keys are kept', async () => {
    const { state, isNew } = await ensure();
    expect({ state, isNew }).toEqual({ isNew: true, state: { url: gate.url, tenant: 'local', key: 'key-1', operatorKey: 'cso_operator', demo: { agentKey: 'key-2', operatorKey: 'key-3' } } });
    expect(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8'))).toEqual(state);
    const asked = gate.asked.length;
    expect(await ensure('http://127.0.0.1:1')).toEqual({ isNew: false, state: { ...state, url: 'http://127.0.0.1:1' } });
    expect(gate.asked).toHaveLength(asked);
  });

  it('gets new keys by the operator’s when local.json is gone, or was never written', async () => {
    const first = await ensure();
    await rm(join(folder, 'local.json'));
    const { state, isNew } = await ensure();
    expect(isNew).toBe(false);
    expect([state.key, state.demo.agentKey, state.demo.operatorKey].every((key) => !JSON.stringify(first.state).includes(`"${key}"`))).toBe(true);
    expect(gate.asked.find(({ path }) => path === '/v1/tenants/local/keys')).toMatchObject({ key: 'Bearer cso_operator', body: { principal: 'local-admin', roles: ['admin', 'proposer', 'approver', 'author', 'auditor'] } });
    expect(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8'))).toEqual(state);
  });

  it('says which file is broken', async () => {
    await writeFile(join(folder, 'local.json'), '{');
    await expect(ensure()).rejects.toThrow(join(folder, 'local.json'));
  });
});
