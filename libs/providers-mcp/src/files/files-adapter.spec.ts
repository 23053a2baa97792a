import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyPatch } from 'diff';
import { LIMITS, type JsonObject, type ProviderEndpoint } from '@countersign/contracts';
import { callOf, createProviderRegistry, providerContract, type ApplyCall, type Provider } from '@countersign/providers';
import { mcpProviderFactory } from '../mcp-provider.js';

const entry = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')), 'dist/index.js');
const misbehaving = fileURLToPath(new URL('../spec-support/misbehaving-server.mjs', import.meta.url));
const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
const endpointOf = (root: string, adapter?: 'files'): ProviderEndpoint =>
  ({ transport: 'mcp-stdio', command: process.execPath, args: [entry, root], ...(adapter ? { adapter } : {}) });
const registry = createProviderRegistry({ 'mcp-stdio': mcpProviderFactory() });
afterAll(async () => await registry.close());

providerContract('server-filesystem with the files adapter', async () => {
  const root = folder();
  writeFileSync(join(root, 'a.txt'), 'one\n');
  const broken = (way: string): Provider =>
    registry.connect('t1', { transport: 'mcp-stdio', command: process.execPath, args: [misbehaving, way, join(root, 'effects')], adapter: 'files' });
  return {
    previews: true,
    reconciles: true,
    healthy: async () => ({ provider: registry.connect('t1', endpointOf(root, 'files')), effects: async () => readdirSync(root).length }),
    hanging: async () => broken('hang'),
    crashing: async () => broken('crash'),
    garbling: async () => broken('garbage'),
    read: { operation: 'read_text_file', input: { path: join(root, 'a.txt') } },
    write: { operation: 'write_file', input: { path: join(root, 'b.txt'), content: 'two\n' } },
    misbehave: { operation: 'change_it', input: {} },
  };
});

describe('files adapter', () => {
  let root: string;
  let provider: Provider;
  beforeEach(() => {
    root = folder();
    provider = registry.connect('t1', endpointOf(root, 'files'));
  });
  afterEach(async () => await provider.close());
  const at = (name: string): string => join(root, name);
  const write = async (name: string, content: string, options: Parameters<typeof callOf>[2] = {}): Promise<ApplyCall> =>
    await callOf(provider, { operation: 'write_file', input: { path: at(name), content } }, options);
  const edit = async (name: string, edits: JsonObject[]): Promise<ApplyCall> =>
    await callOf(provider, { operation: 'edit_file', input: { path: at(name), edits } });
  const unifiedOf = (answer: Awaited<ReturnType<Provider['preview']>>): string => {
    const node = 'tree' in answer ? answer.tree.nodes.find((one) => one.type === 'diff') : undefined;
    if (node?.type !== 'diff') throw new Error(`no diff in ${JSON.stringify(answer)}`);
    return node.unified;
  };

  it('says which operations it can preview and reconcile, and only where the endpoint asks for it', async () => {
    const flags = (operations: Awaited<ReturnType<Provider['describe']>>): string[] =>
      operations.filter((operation) => operation.previewable || operation.reconcilable).map((operation) => operation.name).sort();
    expect(flags(await provider.describe())).toEqual(['edit_file', 'write_file']);
    const plain = registry.connect('t1', endpointOf(root));
    expect(flags(await plain.describe())).toEqual([]);
    expect(await plain.preview(await write('x', 'y'))).toEqual({ absent: 'unsupported' });
    await plain.close();
  });

  it('maps the server’s annotations', async () => {
    const operations = new Map((await provider.describe()).map((operation) => [operation.name, operation]));
    expect(operations.get('read_text_file')).toMatchObject({ kind: 'data_source', risk: 'read_only' });
    expect(operations.get('write_file')).toMatchObject({ kind: 'resource', risk: 'high', idempotent: true });
    expect(operations.get('create_directory')).toMatchObject({ kind: 'resource', risk: 'moderate', idempotent: true });
    expect(operations.get('edit_file')).toMatchObject({ kind: 'resource', risk: 'high', idempotent: false });
  });

  it('shows a change with three lines of context that turns the old content into the new', async () => {
    const before = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('');
    const after = before.replace('line 10\n', 'line ten\n');
    writeFileSync(at('a.txt'), before);
    const unified = unifiedOf(await provider.preview(await write('a.txt', after)));
    expect(applyPatch(before, unified)).toBe(after);
    expect(unified.split('\n').filter((line) => line.startsWith(' '))).toHaveLength(6);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe(before);
  });

  it('shows a new file as added, and a missing newline at the end as such', async () => {
    const unified = unifiedOf(await provider.preview(await write('new.txt', 'one\ntwo')));
    expect(unified).toContain('--- /dev/null');
    expect(unified).toContain('+one\n+two\n\\ No newline at end of file');
    writeFileSync(at('a.txt'), 'one\n');
    expect(unifiedOf(await provider.preview(await write('a.txt', 'one')))).toContain('-one\n+one\n\\ No newline at end of file');
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('says so when nothing would change', async () => {
    writeFileSync(at('a.txt'), 'same\n');
    expect(await provider.preview(await write('a.txt', 'same\n'))).toMatchObject({ tree: { nodes: [{ type: 'text', text: expect.stringContaining('No change') }] } });
  });

  it('has no preview of binary or large content', async () => {
    writeFileSync(at('b.bin'), Buffer.from([0xff, 0xfe, 0, 1]));
    expect(await provider.preview(await write('b.bin', 'text'))).toEqual({ absent: 'failed' });
    writeFileSync(at('large.txt'), 'x'.repeat(LIMITS.previewBytes + 1));
    expect(await provider.preview(await write('large.txt', 'text'))).toEqual({ absent: 'too_large' });
    expect(await provider.preview(await write('new.txt', 'x\n'.repeat(LIMITS.previewBytes / 2)))).toEqual({ absent: 'too_large' });
    mkdirSync(at('folder'));
    expect(await provider.preview(await write('folder', 'x'))).toEqual({ absent: 'failed' });
  });

  it('shows what an edit would leave, without making it', async () => {
    writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
    const unified = unifiedOf(await provider.preview(await edit('a.txt', [{ oldText: 'two', newText: 'zwei' }])));
    expect(applyPatch('one\ntwo\nthree\n', unified)).toBe('one\nzwei\nthree\n');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(await provider.preview(await edit('a.txt', [{ oldText: 'absent', newText: 'x' }]))).toEqual({ absent: 'failed' });
  });

  it('does not let a path forge a hunk or a title', async () => {
    const name = 'a.txt\n@@ -1,1 +1,1 @@\n-safe\n+safe \u202e';
    const asInGit = `"${at(name).replaceAll('\n', '\\n').replace('\u202e', '\\342\\200\\256')}"`;
    const asJson = JSON.stringify(at(name)).replace('\u202e', '\\u202e');
    const shown = async (content: string) => {
      const preview = await provider.preview(await write(name, content));
      if (!('tree' in preview)) throw new Error(`no tree: ${preview.absent}`);
      return preview.tree.nodes;
    };
    const [title, diff] = await shown('evil\n');
    expect(title).toEqual({ type: 'text', text: `New file: ${asJson}` });
    expect(diff).toMatchObject({ type: 'diff', unified: `--- /dev/null\n+++ ${asInGit}\n@@ -0,0 +1,1 @@\n+evil\n` });
    writeFileSync(at(name), 'good\n');
    expect(await shown('evil\n')).toMatchObject([{ text: `Changed file: ${asJson}` }, { unified: `--- ${asInGit}\n+++ ${asInGit}\n@@ -1,1 +1,1 @@\n-good\n+evil\n` }]);
    expect(await shown('good\n')).toEqual([{ type: 'text', text: `No change: ${asJson} holds this content already` }]);
  });

  it('shows that an edit makes line endings uniform', async () => {
    const before = 'one\r\ntwo\r\nthree\r\n';
    writeFileSync(at('a.txt'), before);
    const call = await edit('a.txt', [{ oldText: 'two', newText: 'zwei' }]);
    const unified = unifiedOf(await provider.preview(call));
    await provider.apply(call);
    expect(applyPatch(before, unified, { autoConvertLineEndings: false })).toBe(readFileSync(at('a.txt'), 'utf8'));
  });

  it('applies what was previewed, once', async () => {
    const call = await write('a.txt', 'new\n');
    const preview = await provider.preview(call);
    const expectedFingerprint = 'tree' in preview ? preview.fingerprint! : '';
    expect(expectedFingerprint).toBe('absent');
    expect(await provider.apply({ ...call, expectedFingerprint })).toMatchObject({ ok: true, result: { content: expect.any(String) } });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('new\n');
    expect(await provider.apply({ ...call, expectedFingerprint })).toMatchObject({ ok: false, didNotHappen: true, error: { category: 'precondition_failed' } });
  });

  it('does not touch a file that has changed since its preview', async () => {
    writeFileSync(at('a.txt'), 'seen\n');
    const call = await write('a.txt', 'mine\n');
    const preview = await provider.preview(call);
    writeFileSync(at('a.txt'), 'theirs\n');
    const answer = await provider.apply({ ...call, expectedFingerprint: 'tree' in preview ? preview.fingerprint! : '' });
    expect(answer).toMatchObject({ ok: false, error: { category: 'precondition_failed' } });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('theirs\n');
  });

  it('finds out what became of a write whose answer was lost', async () => {
    const call = { ...await write('a.txt', 'mine\n'), expectedFingerprint: 'absent' };
    expect(await provider.reconcile(call)).toEqual({ found: 'not_applied' });
    writeFileSync(at('a.txt'), 'theirs\n');
    expect(await provider.reconcile(call)).toEqual({ found: 'unknown' });
    writeFileSync(at('a.txt'), 'mine\n');
    expect(await provider.reconcile(call)).toMatchObject({ found: 'applied', result: { content: expect.any(String) } });
  });

  it('names the errors of the server', async () => {
    const read = async (path: string): Promise<unknown> => await provider.apply(await callOf(provider, { operation: 'read_text_file', input: { path } }));
    expect(await read(at('none.txt'))).toMatchObject({ ok: false, error: { category: 'not_found' } });
    expect(await provider.apply(await callOf(provider, { operation: 'read_text_file', input: { path: 7 } }))).toMatchObject({ ok: false, error: { category: 'invalid_arguments' } });
    expect(await read('/etc/hostname')).toMatchObject({ ok: false, error: { category: 'permission_denied' } });
  });

  it.each(['dots', 'absolute', 'link', 'link to a folder'])('leaves what lies outside alone: %s', async (way) => {
    const outside = folder();
    writeFileSync(join(outside, 'secret.txt'), 'secret\n');
    symlinkSync(join(outside, 'secret.txt'), at('link.txt'));
    symlinkSync(outside, at('linked'));
    const path = {
      dots: `${root}/../${outside.split('/').at(-1)}/secret.txt`, absolute: join(outside, 'secret.txt'),
      link: at('link.txt'), 'link to a folder': at('linked/new.txt'),
    }[way]!;
    const call = await callOf(provider, { operation: 'write_file', input: { path, content: 'overwritten\n' } });
    expect(await provider.preview(call)).toEqual({ absent: 'failed' });
    expect(await provider.apply(call)).toMatchObject({ ok: false, error: { category: 'permission_denied' } });
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret\n');
    expect(readdirSync(outside)).toEqual(['secret.txt']);
  });
});
