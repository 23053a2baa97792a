import type { ProviderEndpoint, ToolSchema } from '@countersign/contracts';
import { sha256 } from '@countersign/kernel';
import { READ, WRITE, plannerInMemory, refusalOf } from '../test/planner-in-memory.js';

const key = (keyId: string) => ({ keyId, secretHash: sha256(keyId), principal: 'ops', roles: ['admin' as const] });
const STDIO: ProviderEndpoint = { transport: 'mcp-stdio', command: 'server', args: [] };

describe('registering a provider', () => {
  const register = (planner: ReturnType<typeof plannerInMemory>, operations: readonly ToolSchema[], endpoint: ProviderEndpoint = { transport: 'fake' }, name = 'more') =>
    planner.providers.register({ context: planner.context(), name, endpoint, operations, at: planner.at() });

  it('gives a version to each change', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const first = await register(planner, [READ]);
    expect(first).toEqual({ sequence: 3, version: 1 });
    expect(await register(planner, [READ])).toEqual({ sequence: 3, version: 1, repeated: true });
    expect(await register(planner, [READ, WRITE])).toEqual({ sequence: 4, version: 2 });
  });

  it('lets only some tenants start processes', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    expect(await register(planner, [READ], STDIO)).toMatchObject({ version: 1 });
    const context = planner.context('ops', 'other');
    await planner.tenants.register({ context, name: 'Other', localProcesses: false, keys: [key('k1')], at: planner.at() });
    for (const endpoint of [STDIO, { transport: 'fake' } as const]) {
      expect(await refusalOf(planner.providers.register({ context, name: 'more', endpoint, operations: [READ], at: planner.at() }))).toMatchObject({ code: 'LOCAL_PROCESSES_FORBIDDEN' });
    }
  });

  it('refuses schemas that do not compile, naming operation and member', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    expect(await refusalOf(register(planner, [READ, { ...WRITE, outputSchema: { type: 'thing' } }])))
      .toMatchObject({ code: 'PROVIDER_INVALID', details: { operation: 'write_file', member: 'outputSchema' } });
  });

  it.each<[string, ToolSchema['inputSchema']]>([
    ['goes round in a circle', { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, allOf: [{ $ref: '#/$defs/a' }] }],
    ['has 15,000 properties', { type: 'object', properties: Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`p${index}`, {}])) }],
    ['has 7,000 typed ones', { type: 'object', properties: Object.fromEntries(Array.from({ length: 7_000 }, (_, index) => [`p${index}`, { type: 'string' }])) }],
  ])('refuses a schema that %s', async (_what, inputSchema) => {
    const planner = plannerInMemory();
    await planner.ready();
    expect(await refusalOf(register(planner, [READ, { ...WRITE, inputSchema }])))
      .toMatchObject({ code: 'PROVIDER_INVALID', details: { operation: 'write_file', member: 'inputSchema' } });
  });

  it('refuses a catalogue that does not fit one event, a bad name and an unknown tenant', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const many = Array.from({ length: 40 }, (_, index): ToolSchema => ({ ...WRITE, name: `w${index}`, description: 'x'.repeat(8_000) }));
    expect(await refusalOf(register(planner, many))).toMatchObject({ code: 'PROVIDER_INVALID' });
    expect(await refusalOf(register(planner, [READ], { transport: 'fake' }, 'a.b'))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await refusalOf(planner.providers.register({ context: planner.context('ops', 'nobody'), name: 'x', endpoint: { transport: 'fake' }, operations: [READ], at: planner.at() })))
      .toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('tenants and keys', () => {
  it('registers a tenant once, and issues and revokes its keys', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    expect(await planner.tenants.issueKey({ context: planner.context(), key: key('k2'), at: planner.at() })).toEqual({ sequence: 3 });
    expect(await planner.tenants.revokeKey({ context: planner.context(), keyId: 'k2', at: planner.at() })).toEqual({ sequence: 4 });
    expect(await planner.tenants.revokeKey({ context: planner.context(), keyId: 'k2', at: planner.at() })).toEqual({ sequence: 4, repeated: true });
    expect(await refusalOf(planner.tenants.register({ context: planner.context(), name: 'Other', localProcesses: true, keys: [], at: planner.at() })))
      .toMatchObject({ code: 'TENANT_EXISTS' });
    expect(await refusalOf(planner.tenants.register({ context: planner.context('ops', 'a.b'), name: 'Other', localProcesses: true, keys: [], at: planner.at() })))
      .toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
