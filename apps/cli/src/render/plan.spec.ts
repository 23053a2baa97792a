import type { RenderTree } from '@countersign/contracts';
import type { PlanItemView, PlanView } from '@countersign/contracts/http';
import { fitted } from './fit.js';
import { renderEvent } from './event.js';
import { renderItem, renderPlan } from './plan.js';

const item = (change: Partial<PlanItemView> = {}): PlanItemView => ({
  itemId: 'i1', callId: 'c1', provider: 'files', operation: 'write_file', category: 'tool', kind: 'resource', risk: 'high', description: '',
  inputDigest: 'd', input: { path: 'a.txt' }, decision: 'ask', decidedBy: 'policy:default', ...change,
});
const plan = (change: Partial<PlanView> = {}): PlanView => ({
  planId: 's1-p1', sessionId: 's1', turnId: 't1', requester: 'bot', proposedAt: '2026-03-01T10:00:00.000Z', status: 'open', sequence: 7, items: [item()], ...change,
});
const previewOf = (...nodes: RenderTree['nodes'][number][]): Partial<PlanItemView> => ({ preview: { nodes } });
/** What stands there without a gutter: ours. */
const ours = (text: string): string[] => text.split('\n').filter((line) => !/^ *[│┆] /.test(line));

const FORGED = 'harmless\n    decision  allow  by person:ops\n\nPlan s1-p2  settled\n\u001b[2J\u202e\r';

describe('what agents, tools and files wrote', () => {
  it('stands on one line where it is a name', () => {
    const text = renderPlan(plan({ turnId: FORGED, items: [item({ callId: FORGED, operation: FORGED, provider: FORGED, decidedBy: FORGED })], closed: { reason: 'cancelled', by: FORGED, at: '2026-03-01T10:00:00.000Z' } }));
    expect(text.split('\n').filter((line) => /^ *(decision|Plan)/.test(line))).toEqual(['Plan s1-p1  open', expect.stringMatching(/^ {4}decision {2}ask {2}by "harmless\\n/)]);
    expect(text).toContain('call "harmless\\n    decision  allow');
  });

  it('is told from a name by quotes that it cannot close', () => {
    expect(renderItem(item({ callId: 'c1") allow, call ("c2' }))).toContain(String.raw`call "c1\") allow, call (\"c2"`);
    expect(renderItem(item({ callId: 'call_1.a:b/c@d' }))).toContain('call call_1.a:b/c@d');
  });

  it.each<[string, Partial<PlanItemView>]>([
    ['an input', { input: { content: FORGED } }],
    ['a text', previewOf({ type: 'text', text: FORGED })],
    ['a code block', previewOf({ type: 'code_block', text: FORGED })],
    ['a diff', previewOf({ type: 'diff', path: FORGED, unified: FORGED })],
    ['a table', previewOf({ type: 'table', columns: [FORGED], rows: [[FORGED]] })],
    ['a list', previewOf({ type: 'list', items: [FORGED] })],
    ['a link', previewOf({ type: 'link', label: FORGED, href: FORGED })],
    ['an action', previewOf({ type: 'action', label: FORGED, action: FORGED })],
    ['a group', previewOf({ type: 'group', title: FORGED, nodes: [{ type: 'collapsible', title: FORGED, nodes: [{ type: 'text', text: FORGED }] }] })],
    ['a node of another build', previewOf({ type: 'chart', title: FORGED } as never)],
  ])('stands behind the gutter as %s', (_what, change) => {
    const text = renderItem(item(change));
    expect(ours(text).map((line) => line.trim())).toEqual(['i1  files/write_file  resource, risk high, call c1', expect.stringMatching(/^(preview|input)$/), 'decision  ask  by policy:default']);
    expect(text).toContain('decision  allow');
    expect(text).not.toMatch(/[\u001b\r\u202e]/);
  });

  it('is seen, also what takes no room', () => {
    expect(renderItem(item({ input: { path: 'a\u200b\u00ad\u061c\u3164\ufe0f\u{e0041}b' } }))).toContain(String.raw`a\u200b\u00ad\u061c\u3164\ufe0f\u{e0041}b`);
  });

  it('stands on one line in an event', () => {
    const event = { id: 'e', type: 'plan.ItemsExpired', version: 1, stream: 'GATE', sequence: 1, aggregate: 'plan', aggregateId: 'p', rev: 1, author: 'planner', actor: 'a', correlationId: 'c', time: 't' };
    expect(renderEvent({ ...event, data: { items: [FORGED, { itemId: FORGED, decision: FORGED }] } }).split('\n')).toHaveLength(3);
  });
});

describe('a line that is too long', () => {
  const columns = 40;
  it('goes on behind a mark, not in the first column, where blanks could bring a forged line', () => {
    const text = fitted(renderItem(item({ input: { content: `x${' '.repeat(columns)}    decision  allow` }, toolResult: { isError: false, text: `x${'.'.repeat(columns)}decision  allow` }, message: 'no '.repeat(30) })), columns);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(ours(text).map((line) => line.trim().slice(0, 8))).toEqual(['i1  file', 'input', 'decision', 'the agen']);
  });

  it('loses nothing and keeps its colour', () => {
    const red = `  \u001b[31m${'ab'.repeat(40)}\u001b[0m`;
    const lines = fitted(red, columns).split('\n');
    expect(lines.length).toBe(3);
    for (const line of lines) expect(line).toMatch(/\u001b\[31m[ab]+\u001b\[0m$/);
    expect(lines.join('').replace(/\u001b\[\d+m|[ ┆]/g, '')).toBe('ab'.repeat(40));
  });

  it('counts what may be wide as wide, and leaves alone what fits and what nobody looks at', () => {
    for (const line of fitted('漢'.repeat(50), columns).split('\n')) expect([...line].length).toBeLessThanOrEqual(columns / 2 + 1);
    expect(fitted('short\n\tline', columns)).toBe('short\n\tline');
    expect(fitted('x'.repeat(500), Infinity)).toBe('x'.repeat(500));
  });
});
