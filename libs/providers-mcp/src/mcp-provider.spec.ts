import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@countersign/contracts';
import { callOf, createProviderRegistry, type Provider, type ProviderRegistry } from '@countersign/providers';
import { mcpProviderFactory } from './mcp-provider.js';

const server = fileURLToPath(new URL('./spec-support/misbehaving-server.mjs', import.meta.url));
const change = { operation: 'change_it', input: {} };
const ok = { operation: 'ok', input: {} };

describe('MCP over stdio', () => {
  let registry: ProviderRegistry;
  beforeEach(() => { registry = createProviderRegistry({ 'mcp-stdio': mcpProviderFactory() }); });
  afterEach(async () => await registry.close());
  const connect = (way: string, more: { file?: string; env?: string[]; tenant?: string } = {}): Provider =>
    registry.connect(more.tenant ?? 't1', {
      transport: 'mcp-stdio', command: process.execPath, args: [server, way, ...(more.file ? [more.file] : [])], ...(more.env ? { env: more.env } : {}),
    });
  const pidOf = async (provider: Provider): Promise<number> => {
    const answer = await provider.apply(await callOf(provider, ok));
    return Number((answer as unknown as { result: { content: { text: string }[] } }).result.content[0]!.text);
  };

  it('reads all pages and maps the hints, cautiously where they are silent', async () => {
    const operations = await connect('crash').describe();
    expect(operations.map(({ name, kind, risk, idempotent, previewable }) => [name, kind, risk, idempotent, previewable])).toEqual([
      ['read_it', 'data_source', 'read_only', true, undefined],
      ['change_it', 'resource', 'high', false, false],
      ['gentle', 'resource', 'moderate', true, false],
      ['long', 'resource', 'high', false, false],
      ['ok', 'resource', 'high', false, false],
      ['environment', 'resource', 'high', false, false],
    ]);
    expect(operations[3]!.description).toHaveLength(LIMITS.descriptionChars);
  });

  it('cuts off a server that pages without end', async () => {
    await expect(connect('endless').describe()).rejects.toMatchObject({ code: 'PROVIDER_INVALID' });
  });

  it.each([['crash', 'process_crashed'], ['garbage', 'unknown'], ['shape', 'unknown'], ['error', 'execution_failed'], ['flood', 'unknown']])(
    'names what a server does that goes wrong by %s, and the next call works', async (way, category) => {
      const provider = connect(way);
      const answer = await provider.apply(await callOf(provider, change));
      expect(answer).toMatchObject({ ok: false, error: { category } });
      expect(JSON.stringify(answer)).not.toContain('/srv/');
      expect(await provider.apply(await callOf(provider, ok))).toMatchObject({ ok: true });
    });

  it('ends a call that hangs at its deadline, and its process with it, so that nothing of it comes late', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'effects');
    const provider = connect('late', { file });
    const before = await pidOf(provider);
    const answer = await provider.apply(await callOf(provider, change, { signal: AbortSignal.timeout(200) }));
    expect(answer).toMatchObject({ ok: false, error: { category: 'timeout' } });
    expect(await pidOf(provider)).not.toBe(before);
    await sleep(1_000);
    expect(existsSync(file)).toBe(false);
  });

  it('ends the process of a change at once when its caller has lost its lease, others beside it or not', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'effects');
    const provider = connect('late', { file });
    await provider.describe();
    const lease = new AbortController();
    const beside = provider.apply(await callOf(provider, change));
    const lost = provider.apply(await callOf(provider, change, { signal: lease.signal }));
    setTimeout(() => lease.abort(), 100);
    expect(await lost).toMatchObject({ ok: false, error: { category: 'cancelled' } });
    expect(await beside).toMatchObject({ ok: false, error: { category: 'process_crashed' } });
    await sleep(1_000);
    expect(existsSync(file)).toBe(false);
  });

  it('tolerates a banner', async () => {
    expect(await connect('banner').describe()).toHaveLength(6);
  });

  it('refuses a server that cannot be started or does not speak MCP', async () => {
    for (const command of ['/no/such/program', 'true']) {
      const provider = registry.connect('t1', { transport: 'mcp-stdio', command, args: [] });
      await expect(provider.describe()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' });
      const healthy = connect('crash');
      const call = await callOf(healthy, change);
      expect(await provider.apply(call)).toMatchObject({ ok: false, didNotHappen: true, error: { category: 'process_crashed' } });
    }
  });

  it.each([
    ['is not there', 'no-such-program-of-ours', [], 'was not found'],
    ['ends by itself', process.execPath, ['-e', 'process.exit(3)'], 'ended with exit code 3'],
    ['is killed', process.execPath, ['-e', 'process.kill(process.pid, "SIGTERM")'], 'was ended by SIGTERM'],
  ])('says why a server cannot be used that %s', async (_what, command, args, why) => {
    const provider = mcpProviderFactory()({ transport: 'mcp-stdio', command, args }, 't1');
    await expect(provider.describe()).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE', message: expect.stringContaining(why) as string });
    await provider.close();
  });

  it('keeps a process for each tenant', async () => {
    const own = await pidOf(connect('crash'));
    expect(await pidOf(connect('crash'))).toBe(own);
    expect(await pidOf(connect('crash', { tenant: 't2' }))).not.toBe(own);
  });

  it('passes on the named variables and what a process needs, nothing else', async () => {
    const ours = ['COUNTERSIGN_SPEC', 'DATABASE_URL', 'PGPASSWORD', 'PGHOST'];
    process.env['MCP_SPEC_NAMED'] = 'yes';
    process.env['MCP_SPEC_SECRET'] = 'no';
    for (const name of ours) process.env[name] ??= 'no';
    const provider = connect('crash', { env: ['MCP_SPEC_NAMED', ...ours] });
    const answer = await provider.apply(await callOf(provider, { operation: 'environment', input: {} }));
    const seen = JSON.parse((answer as unknown as { result: { content: { text: string }[] } }).result.content[0]!.text) as object;
    expect(seen).toMatchObject({ MCP_SPEC_NAMED: 'yes', PATH: process.env['PATH'] });
    expect(Object.keys(seen).filter((name) => !['MCP_SPEC_NAMED', 'PATH', 'HOME', 'TMPDIR', 'LANG'].includes(name))).toEqual([]);
  });

  it('kills what the server started as well', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'pids');
    const provider = connect('child', { file });
    await provider.describe();
    const child = Number(readFileSync(file, 'utf8'));
    expect(() => process.kill(child, 0)).not.toThrow();
    await provider.close();
    while (isAlive(child)) await sleep(10); // the kill is sent; when the system has done it is its own matter
  });
});

/** A killed orphan may stay a zombie where nobody reaps it; that is no living process. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
