import { digestOf } from '@countersign/kernel';
import { compileBundle, parseBundle } from './index.js';

describe('compileBundle', () => {
  const rule = (match: object, action = 'deny') => ({ rules: [{ id: 'r', match, action }] });

  it('warns of an empty match, of what can match nothing, and of an ask that becomes deny', () => {
    expect(compileBundle(rule({})).warnings).toEqual(['Rule r has an empty match: it matches every item']);
    expect(compileBundle(rule({ kind: 'data_source', risk: 'low' })).warnings).toEqual(['Rule r matches nothing: no data_source is low']);
    expect(compileBundle(rule({ kind: 'resource', risk: 'read_only' })).warnings).toEqual(['Rule r matches nothing: no resource is read_only']);
    expect(compileBundle(rule({ kind: 'data_source' }, 'ask')).warnings).toHaveLength(1);
    expect(compileBundle(rule({ tool_name: 'x' })).warnings).toEqual([]);
  });

  it('names the bundle by its canonical digest', () => {
    const bundle = rule({ tool_name: 'x' });
    expect(compileBundle(bundle).digest).toBe(digestOf(bundle));
  });

  it('takes 2,000 rules and not one more', () => {
    const rules = Array.from({ length: 2_001 }, (_, index) => ({ id: `r${index}`, match: { tool_name: `op${index}` }, action: 'allow' }));
    expect(compileBundle({ rules: rules.slice(1) }).warnings).toEqual([]);
    expect(() => compileBundle({ rules })).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', details: expect.objectContaining({ path: '/rules' }) }));
  });
});

describe('parseBundle', () => {
  it('reads YAML and JSON', () => {
    const bundle = { rules: [{ id: 'no-writes', match: { tool_name: 'write_file' }, action: 'deny', message: 'Not here' }] };
    expect(parseBundle('rules:\n  - id: no-writes\n    match: { tool_name: write_file }\n    action: deny # always\n    message: Not here\n')).toEqual(bundle);
    expect(parseBundle(JSON.stringify(bundle))).toEqual(bundle);
  });

  it.each([
    ['an anchor', 'rules: &all []', /anchor/],
    ['an alias', 'rules:\n  - &a { id: x, match: {}, action: deny }\n  - *a', /anchor|alias/],
    ['a tag of its own', 'rules: !mine []', /tag/i],
    ['a tag that changes nothing', 'rules: !!seq []', /tag/i],
    ['a tag that makes a text', 'rules: [{ id: !!str 1, match: {}, action: deny }]', /tag/i],
    ['a language tag', 'rules: !!js/function "x"', /tag/i],
    ['a repeated key', 'rules: []\nrules: []', /unique/],
    ['a merge key', 'rules:\n  - { id: x, match: {}, action: deny, <<: { message: y } }', /no such field/],
    ['two documents', 'rules: []\n---\nrules: []', /more than one document/],
    ['two documents parted by the end of one', 'rules: []\n...\nrules: []', /more than one document/],
    ['two documents, the second with a directive', 'rules: []\n...\n%YAML 1.2\n---\nrules: []', /more than one document/],
    ['a second document of nothing', 'rules: []\n---\n', /more than one document/],
    ['a first document of nothing', '---\n---\nrules: []', /more than one document/],
    ['two objects of JSON', '{"rules":[]}\n{"rules":[]}', /cannot be read/],
    ['NUL in a message', String.raw`rules: [{ id: r, match: {}, action: deny, message: "a\0b" }]`, /control character/],
    ['an escape code in a message', String.raw`rules: [{ id: r, match: {}, action: deny, message: "a\e[2Jb" }]`, /control character/],
    ['a line break in a name', String.raw`rules: [{ id: r, match: { tool_name: "a\nb" }, action: deny }]`, /control character/],
    ['nothing', '', /empty/],
    ['a comment alone', '# nothing\n', /at its top|empty/],
    ['broken syntax', 'rules: [', /cannot be read/],
    ['a text', 'rules', /must be object/],
    ['too much', `# ${'x'.repeat(1024 * 1024)}`, /larger than/],
    ['nesting without end', `rules: ${'['.repeat(200 * 1024)}`, /deeper/],
    ['nesting without end that is closed', `rules: ${'['.repeat(100_000)}${']'.repeat(100_000)}`, /deeper/],
    ['nesting without end in blocks', '- '.repeat(100 * 1024), /deeper/],
    ['keys without end', '? '.repeat(100 * 1024), /deeper/],
    ['maps without end', 'a: {'.repeat(50_000), /deeper/],
    ['members without end', Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n'), /members/],
    ['members without end in a flow', `{ ${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join(', ')} }`, /members/],
    ['documents without end', '---\n'.repeat(50_000), /more than one document/],
    ['half of a surrogate pair', String.raw`rules: [{ id: r, match: { provider: "\ud800" }, action: deny }]`, /surrogate/],
    ['an alias bomb', 'a: &a [x, x]\nb: [*a, *a]', /anchor|alias/],
  ])('refuses %s', (_what, text, message) => {
    expect(() => parseBundle(text)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', message: expect.stringMatching(message) }));
  });

  it('takes one document between its marks, and lines in a message', () => {
    expect(parseBundle('%YAML 1.2\n---\nrules: [{ id: r, match: {}, action: deny, message: "a\\n\\tb" }]\n...\n').rules[0]?.message).toBe('a\n\tb');
  });

  it('says where the fault is', () => {
    expect(() => parseBundle('rules:\n  - id: a\n    action: [\n')).toThrow(/at line 4, column 1/);
  });

  it('does not read yes and no as truth values', () => {
    expect(parseBundle('rules: [{ id: r, match: { provider: no, tool_name: yes }, action: deny }]').rules[0]?.match).toEqual({ provider: 'no', tool_name: 'yes' });
  });
});
