import type { JsonObject, ToolSchema } from '@countersign/contracts';
import type { FakeBehaviour } from './behaviour.js';

const object = (properties: JsonObject, required: string[]): JsonObject => ({ type: 'object', properties, required, additionalProperties: false });
const text = { type: 'string' };
const noted = object({ noted: { type: 'string' } }, ['noted']);

/** The operations of the fake provider; what the behaviour promises of keys, reconciliation and concurrency stands in each. */
export function fakeOperations(behaviour: FakeBehaviour): readonly ToolSchema[] {
  const resource = {
    category: 'tool',
    kind: 'resource',
    concurrency: { safe: behaviour.safe },
    idempotent: behaviour.idempotent,
    previewable: behaviour.previewable,
    reconcilable: behaviour.reconcilable,
    enforcesKey: behaviour.keyed,
  } as const;
  return [
    {
      name: 'echo_read', category: 'tool', kind: 'data_source', risk: 'read_only', description: 'Gives back its text',
      inputSchema: object({ text }, ['text']), outputSchema: object({ text }, ['text']), concurrency: { safe: true },
    },
    {
      ...resource, name: 'write_note', risk: 'low', description: 'Writes a note',
      inputSchema: object({ name: text, text }, ['name', 'text']), outputSchema: noted,
    },
    {
      ...resource, name: 'overwrite_note', risk: 'high', description: 'Writes over a note',
      inputSchema: object({ name: text, text }, ['name', 'text']), outputSchema: noted,
    },
    {
      ...resource, name: 'noop', risk: 'low', description: 'Counts one effect and does nothing else',
      previewable: false, concurrency: { safe: true }, inputSchema: object({ n: { type: 'number' } }, []),
    },
  ];
}
