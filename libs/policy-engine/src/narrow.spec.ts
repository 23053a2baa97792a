import type { GrantNarrow, Json } from '@countersign/contracts';
import { factsOf } from './testing/given-facts.js';
import { awaitsVeto, compileBundle, compilePolicy, explain, guardrailDenies, isWithin, judge, narrowOffers, needsInput, operatorRuleWithMatch, ruleFingerprint, type ItemFacts } from './index.js';

const within = (narrow: GrantNarrow, input: Json): boolean => isWithin(narrow, { input, inputDigest: 'sha256:d' });

describe('a condition of a grant', () => {
  const below = (prefix: string): GrantNarrow => ({ kind: 'path_prefix', field: '/path', prefix });
  it.each([
    ['/w/a', '/w/a'], ['/w/a', '/w/a/b'], ['/w/a/', '/w/a/b'], ['/w/a', '/w//a/./b'], ['/w/a', '/w/a/'], ['w', 'w/x'], ['./w', 'w/x'], ['/w/a', '/w/a/.hidden'],
  ])('path below %s covers %s', (prefix, path) => {
    expect(within(below(prefix), { path })).toBe(true);
  });
  it.each([
    ['/w/a', '/w/ab'], ['/w/a', '/w'], ['/w/a', '/w/a/../b'], ['/w/a', '/w/a/..'], ['/w/a', '/w/a/..\\b'], ['/w/a', '/w/a\\..\\b'], ['/w/a', '/w/a/%2e%2e/b'], ['/w/a', '/w/a/%2E./b'],
    ['/w/a', '/w/a/..;/b'.replace(';', '%3b')], ['/w/a', 'w/a/b'], ['w', '/w/x'], ['/w/a', '~/w/a'], ['/w/a', '/w/a/\u0000/../..'], ['/w/a', '/w/a/.. /b'], ['/w/a', '/W/A/b'], ['/', '/etc'], ['', 'x'], ['.', 'x'], ['/w/../a', '/w/../a/b'], ['/w/a', '/w/a/...'], ['/w/a', '/w/a/\uff0e\uff0e/b'], ['/w/a', '/w/a/..\u2215b'],
  ])('path below %s does not cover %s', (prefix, path) => {
    expect(within(below(prefix), { path })).toBe(false);
  });
  it('covers no call that has no such member, or another than a text', () => {
    for (const input of [{}, { path: ['/w/a'] }, { path: null }, null, 'x', [{ path: '/w/a' }], { other: { path: '/w/a' } }] as Json[]) expect(within(below('/w/a'), input)).toBe(false);
    expect(isWithin(below('/w/a'), { input: undefined, inputDigest: '' })).toBe(false);
    expect(within({ ...below('/w'), field: '/a~1b/c~0d/0' } as GrantNarrow, { 'a/b': { 'c~d': ['/w/x'] } })).toBe(true);
    expect(within({ ...below('/w'), field: '/__proto__/path' } as GrantNarrow, {})).toBe(false);
  });

  const at = (host: string): GrantNarrow => ({ kind: 'host', field: '/url', host });
  it.each(['https://api.acme.example', 'https://api.acme.example/', 'https://API.acme.example/v1?x=1#y', 'https://api.acme.example:443/v1', 'wss://api.acme.example/v1'])('host covers %s', (url) => {
    expect(within(at('api.acme.example'), { url })).toBe(true);
  });
  it.each([
    'https://api.acme.example.evil.example/', 'https://evil.example/api.acme.example', 'https://api.acme.example@evil.example/', 'https://evil.example#@api.acme.example', 'https://evil.example\\@api.acme.example/',
    'https://api.acme.example:8443/', '//api.acme.example/', 'api.acme.example', 'https:api.acme.example', ' https://api.acme.example', 'https://api.acme.example/\n', 'https://api%2eacme.example/', 'https://аpi.acme.example/', 'javascript:alert(1)//api.acme.example',
  ])('host does not cover %s', (url) => {
    expect(within(at('api.acme.example'), { url })).toBe(false);
  });

  it('is the very input by its digest', () => {
    expect(within({ kind: 'exact_input', inputDigest: 'sha256:d' }, {})).toBe(true);
    expect(within({ kind: 'exact_input', inputDigest: 'sha256:e' }, {})).toBe(false);
  });
});

describe('what a grant is offered to be narrowed to', () => {
  const offers = (name: string, input: Json) => narrowOffers({ item: { name }, input, inputDigest: 'd' }).map((one) => (one.kind === 'exact_input' ? 'exact' : one.kind === 'host' ? `${one.field} at ${one.host}` : `${one.field} below ${one.prefix}`));

  it('is the exact input first, then the folder of a path and the host of a URL', () => {
    expect(offers('write_file', { path: '/w/notes/a.md', content: 'x' })).toEqual(['exact', '/path below /w/notes']);
    expect(offers('post', { url: 'https://api.acme.example/v1', body: 'x' })).toEqual(['exact', '/url at api.acme.example']);
    expect(offers('copy', { source: 'a/b/c', destination: '/etc' })).toEqual(['exact', '/source below a/b']);
    expect(offers('write_file', { path: '/w/../etc/x' })).toEqual(['exact']);
    expect(offers('noop', {})).toEqual(['exact']);
  });

  it.each([
    ['bash', { command: 'ls' }], ['run_command', { cwd: '/w/a', command: 'ls' }], ['shell', { path: '/w/a/b' }], ['start', { command: 'sudo rm x', cwd: '/w/a' }], ['start', { command: 'npx pkg', cwd: '/w/a' }],
    ['start', { cmd: ['xargs', 'rm'], cwd: '/w/a' }], ['start', { command: '/usr/bin/env python -c x', cwd: '/w/a' }], ['start', { command: 'python3.12 -c "x"', cwd: '/w/a' }], ['start', { command: 'A=1 bash -c ls', cwd: '/w/a' }], ['start', { command: 'ls | sh', cwd: '/w/a' }],
  ] as [string, Json][])('is the exact input alone for %s %j', (name, input) => {
    expect(offers(name, input)).toEqual(['exact']);
  });
});

describe('questions about a policy', () => {
  const item = (name: string, kind: 'resource' | 'data_source' = 'resource') => ({ kind, provider: 'files', name, risk: kind === 'resource' ? 'low' : 'read_only' }) as const;
  const policy = compilePolicy({
    rules: compileBundle({ rules: [
      { id: 'a', match: { tool_name: 'write' }, when: 'input.n > 1', action: 'deny' }, { id: 'b', match: { tool_name: 'write' }, action: 'allow' },
      { id: 'c', match: { tool_name: 'move' }, when: 'item.risk == "high"', action: 'deny' }, { id: 'd', match: { tool_name: 'copy', provider: 'files' }, action: 'allow' },
    ] }),
    guardrails: compileBundle({ rules: [{ id: 'g', match: { tool_name: 'drop*' }, action: 'deny' }] }, { layer: 'guardrails' }),
  });

  it('says whether judging may look at the arguments', () => {
    expect(['write', 'move', 'other'].map((name) => needsInput(policy, item(name)))).toEqual([true, false, false]);
    const grant = { provider: 'files', operation: 'other', narrow: { kind: 'path_prefix', field: '/path', prefix: '/w' } } as unknown as ItemFacts['session']['grants'][number];
    expect(needsInput(policy, item('other'), [grant])).toBe(true);
  });

  it('says which guardrail denies, for the preview', () => {
    expect(guardrailDenies(policy, factsOf({ item: item('drop_all') }))).toEqual({ layer: 'guardrail_deny', says: 'deny', by: 'guardrail:g' });
    expect(guardrailDenies(policy, factsOf({ item: item('write') }))).toBeUndefined();
  });

  it('says whether vetoes are asked: about resources that layers 1 to 6 do not deny', () => {
    const asks = (given: Parameters<typeof factsOf>[0]): boolean => awaitsVeto(factsOf(given), judge(policy, factsOf(given)));
    expect(asks({ item: item('other') })).toBe(true);
    expect(asks({ item: item('other'), session: { permissionMode: 'dontAsk' } })).toBe(true);
    expect(asks({ item: item('drop_all') })).toBe(false);
    expect(asks({ item: item('other'), session: { ended: true } })).toBe(false);
    expect(asks({ item: item('read', 'data_source') })).toBe(false);
  });

  it('finds an operator’s rule with the match of a standing answer', () => {
    expect(operatorRuleWithMatch(policy, { profile: 'day', provider: 'files', operation: 'copy' })).toBe('d');
    expect(operatorRuleWithMatch(policy, { profile: 'day', provider: 'files', operation: 'write' })).toBeUndefined();
  });

  it('names a rule by match, profile, condition and action, not by its id or words', () => {
    const rule = { id: 'a', match: { tool_name: 'x', provider: 'p' }, action: 'ask' } as const;
    expect(ruleFingerprint(rule)).toMatch(/^[0-9a-f]{16}$/);
    expect(ruleFingerprint({ ...rule, id: 'b', match: { provider: 'p', tool_name: 'x' }, message: 'm', ask: { quorum: 2 } })).toBe(ruleFingerprint(rule));
    for (const other of [{ ...rule, action: 'deny' }, { ...rule, profile: 'day' }, { ...rule, when: 'true' }, { ...rule, match: { tool_name: 'x' } }] as const) expect(ruleFingerprint(other)).not.toBe(ruleFingerprint(rule));
  });

  it('explains every rule that matched, in order, and why the winner won', () => {
    expect(explain(policy, factsOf({ item: item('write'), input: { n: 0 } }))).toMatchObject({
      decision: 'allow', decidedBy: 'policy:b', why: 'allow by policy:b: of the rules that match it is the most specific one (tool_name exact).',
      matched: [
        { rule: 'a', layer: 'rules', action: 'deny', rank: 'tool_name exact, with a condition', when: 'false', won: false },
        { rule: 'b', layer: 'rules', action: 'allow', rank: 'tool_name exact', won: true },
      ],
    });
    expect(explain(policy, factsOf({ item: item('write'), input: {} })).why).toContain('its condition could not be evaluated, which never allows');
    expect(explain(policy, factsOf({ item: item('other') }))).toMatchObject({ matched: [], why: 'ask by policy:default: no rule matched, so the default for this kind of call holds.' });
    expect(explain(policy, factsOf({ item: item('drop_x') })).why).toBe('deny by guardrail:g: a guardrail denies it, and nothing outranks a guardrail.');
  });
});
