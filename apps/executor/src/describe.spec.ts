import type { ToolSchema } from '@countersign/contracts';
import { createProviderRegistry, fakeOperations, fakeProviderFactory, memorySink, parseBehaviour } from '@countersign/providers';
import { DescribeController } from './describe.controller.js';

const describing = async (change: (operation: ToolSchema) => ToolSchema) => {
  const operations = fakeOperations(parseBehaviour('')).map(change);
  const fake = fakeProviderFactory({ sink: memorySink() });
  const registry = createProviderRegistry({ fake: (endpoint, tenant) => Object.assign(fake(endpoint, tenant), { describe: async () => operations }) });
  try {
    return await new DescribeController(registry).describe({ endpoint: { transport: 'fake' }, context: { tenant: 'acme', principal: 'ops', correlationId: 'c1' } });
  } finally {
    await registry.close();
  }
};

describe('describing a server', () => {
  it('gives what the server offers', async () => {
    expect((await describing((operation) => operation)).operations.map(({ name }) => name)).toEqual(['echo_read', 'write_note', 'overwrite_note', 'noop']);
  });

  it('refuses by name a catalogue that no answer and no event could carry', async () => {
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string', description: 'x'.repeat(40) }]));
    await expect(describing((operation) => ({ ...operation, inputSchema: { type: 'object', properties } }))).rejects.toMatchObject({ code: 'PROVIDER_INVALID' });
  });
});
