import type { ProviderEvent, ToolSchema } from '@countersign/contracts';
import { digestOf, foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import { evolve, providerFold, registerProvider, removeProvider, runsLocally, type RegisterProviderAs } from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const write: ToolSchema = { name: 'write_file', category: 'tool', kind: 'resource', risk: 'high', description: 'writes', inputSchema: { type: 'object' } };
const read: ToolSchema = { ...write, name: 'read_file', kind: 'data_source', risk: 'read_only' };
const command = (operations: readonly ToolSchema[] = [read, write]): RegisterProviderAs => ({ name: 'files', endpoint: { transport: 'fake' }, operations, by: 'ops', at });
const registered = (version: number, operations: readonly ToolSchema[] = [read, write]): ProviderEvent => ({
  type: 'provider.Registered',
  data: { version, digest: digestOf({ endpoint: { transport: 'fake' }, operations }), endpoint: { transport: 'fake' }, operations, by: 'ops', at },
});
const removed: ProviderEvent = { type: 'provider.Removed', data: { by: 'ops', at } };

describe('registerProvider', () => {
  const on = scenario(providerFold, registerProvider);

  it('gives a version for each change, and none for none', () => {
    on.given([]).when(command()).then([registered(1)]).thenReply({ version: 1, repeated: false });
    on.given([registered(1)]).when(command()).thenNothing().thenReply({ version: 1, repeated: true });
    on.given([registered(1)]).when(command([read])).then([registered(2, [read])]);
    on.given([registered(1), registered(2, [read])]).when(command()).then([registered(3)]);
    on.given([registered(1), removed]).when(command()).then([registered(2)]);
  });

  it.each<[string, Partial<ToolSchema>]>([
    ['a read_only resource', { risk: 'read_only' }],
    ['a data source with a risk', { kind: 'data_source', risk: 'low' }],
    ['an interactive one with a risk', { kind: 'interactive', risk: 'low' }],
    ['an interactive one with concurrency', { kind: 'interactive', risk: 'read_only', concurrency: { safe: true } }],
    ['a previewable data source', { kind: 'data_source', risk: 'read_only', previewable: true }],
    ['a slash command with an output schema', { category: 'slashcommand', outputSchema: {} }],
    ['an unknown kind', { kind: 'other' as 'resource' }],
    ['an unknown risk', { risk: 'none' as 'low' }],
    ['an unknown category', { category: 'other' as 'tool' }],
    ['an empty name', { name: '' }],
    ['a name with white space', { name: 'a b' }],
    ['a description without end', { description: 'x'.repeat(8_193) }],
    ['a name with NUL', { name: 'a\0b' }],
    ['a name that ends its line', { name: 'a\n' }],
    ['a description with NUL', { description: 'a\0b' }],
    ['a description with an escape code', { description: 'a\u001b[2Jb' }],
    ['a key field with NUL', { concurrency: { safe: true, keyFields: ['pa\0th'] } }],
    ['a timeout of nothing', { timeoutMs: 0 }],
    ['a timeout of days', { timeoutMs: 86_400_000 }],
    ['a key field named twice', { concurrency: { safe: true, keyFields: ['path', 'path'] } }],
    ['a name used twice', { name: 'read_file' }],
  ])('refuses %s', (_what, change) => {
    on.given([]).when(command([read, { ...write, ...change }])).thenRefused('PROVIDER_INVALID');
  });

  it('takes lines in a description', () => {
    on.given([]).when(command([{ ...write, description: 'a\r\n\tb' }])).then([registered(1, [{ ...write, description: 'a\r\n\tb' }])]);
  });

  it('refuses interactive operations as not supported yet', () => {
    on.given([]).when(command([{ ...write, name: 'ask_user', kind: 'interactive', risk: 'read_only' }])).thenRefused('KIND_NOT_SUPPORTED', { operation: 'ask_user' });
  });

  it('refuses no operation, too many, and a name that is no token', () => {
    on.given([]).when(command([])).thenRefused('PROVIDER_INVALID');
    on.given([]).when(command(Array.from({ length: 501 }, (_, index) => ({ ...write, name: `w${index}` })))).thenRefused('PROVIDER_INVALID');
    on.given([]).when({ ...command(), name: 'My Files' }).thenRefused('INVALID_REQUEST');
  });
});

describe('removeProvider', () => {
  const on = scenario(providerFold, removeProvider);
  it('removes once', () => {
    on.given([registered(1)]).when({ by: 'ops', at }).then([removed]);
    on.given([registered(1), removed]).when({ by: 'ops', at }).thenNothing().thenReply({ version: 1, repeated: true });
    on.given([]).when({ by: 'ops', at }).thenRefused('NOT_FOUND');
  });
});

describe('laws of the provider', () => {
  const facts = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }).map((version) => registered(version)), fc.constant(removed), fc.constant({ type: 'x' } as unknown as ProviderEvent)), { maxLength: 10 });

  it('folds in parts as in one, and versions never go back', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(providerFold, first);
      const after = later.reduce(evolve, before);
      expect(after).toEqual(foldOf(providerFold, [...first, ...later]));
      expect(after.version).toBeGreaterThanOrEqual(before.version);
    }));
  });

  it('deciding twice changes nothing', () => {
    fc.assert(fc.property(facts, (events) => {
      const provider = foldOf(providerFold, events);
      const { event } = registerProvider(provider, command());
      expect(registerProvider(event ? evolve(provider, event) : provider, command()).event).toBeUndefined();
    }));
  });

  it('knows what runs on the gate’s own machine', () => {
    expect(runsLocally({ transport: 'mcp-stdio', command: 'server', args: [] })).toBe(true);
    expect(runsLocally({ transport: 'fake' })).toBe(true);
  });
});
