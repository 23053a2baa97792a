import type { PlanItemView } from '@countersign/contracts/http';
import { renderItem } from './plan.js';

const item = (change: Partial<PlanItemView>): PlanItemView => ({
  itemId: 'i1', callId: 'c1', provider: 'files', operation: 'write_file', category: 'tool', kind: 'resource', risk: 'high', description: 'Writes a file',
  input: { path: 'notes.txt', content: 'the new words' }, inputDigest: 'd'.repeat(64), decision: 'ask', decidedBy: 'policy:default', ...change,
});

describe('what an approver is shown of the effect', () => {
  it('is the preview where there is one', () => {
    expect(renderItem(item({ preview: { nodes: [{ type: 'text', text: 'one line is added' }] } }))).toContain('one line is added');
  });

  it.each(['unsupported', 'timeout', 'failed', 'too_large', 'fanout_unavailable'] as const)('is the raw input where there is none (%s), with the reason', (previewAbsent) => {
    const shown = renderItem(item({ previewAbsent }));
    for (const part of ['notes.txt', 'the new words', previewAbsent]) expect(shown).toContain(part);
  });

  it('is the raw input of what never has a preview', () => {
    expect(renderItem(item({ kind: 'data_source', risk: 'read_only' }))).toContain('the new words');
  });

  it('says so where the input itself is not in the view, and names it', () => {
    const { input: _, ...rest } = item({ inputAbsent: 'view_limit' });
    expect(renderItem(rest)).toContain('d'.repeat(64));
  });
});
