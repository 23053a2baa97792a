import { LIMITS, POLICY_BUNDLE_SCHEMA } from '@countersign/contracts';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { compileBundle, compilePolicy, judge, lintText } from '../index.js';
import { factsOf } from '../testing/given-facts.js';

const found = (text: string, layer: 'rules' | 'guardrails' = 'rules') =>
  lintText(text, { layer }).findings.map(({ severity, code, line, column, rules }) => [severity, code, `${line}:${column}`, ...(rules ? [rules.join(' ')] : [])].join(' '));
const ruleLines = (...rules: readonly string[]): string => `rules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}\n`;

describe('linting a bundle', () => {
  it('says nothing of a sound one but its digest', () => {
    const text = ruleLines('{ id: a, match: { tool_name: write }, action: ask }');
    expect(lintText(text)).toEqual({ findings: [], rules: 1, digest: compileBundle({ rules: [{ id: 'a', match: { tool_name: 'write' }, action: 'ask' }] }).digest });
  });

  it.each([
    ['an unknown field, with the one that was meant', ruleLines('{ id: a, match: { tool_nam: x }, action: deny }'), 'error unknown_field 2:23', 'Did you mean tool_name?'],
    ['an unknown field that is like none', 'rules: []\nlayers: []\n', 'error unknown_field 2:1', 'Known here: rules, profiles.'],
    ['a bad value', ruleLines('{ id: a, match: {}, action: maybe }'), 'error invalid 2:33', 'Choose one of them.'],
    ['a missing field', ruleLines('{ id: a, match: {} }'), 'error invalid 2:5', 'Add action.'],
    ['a condition that is not CEL', ruleLines('id: a', '{ id: b, match: { tool_name: x }, when: "size(", action: deny }').replace('  - id: a\n', ''), 'error bad_expression 2:45 b', 'Conditions are CEL'],
    ['two rules in conflict, at the second', ruleLines('{ id: a, match: { tool_name: x }, action: deny }', '{ id: b, match: { tool_name: x }, action: ask }'), 'error conflict 3:5 a b', 'over: a'],
    ['an empty match', ruleLines('{ id: a, match: {}, action: deny }'), 'warning empty_match 2:21 a', 'last resort'],
    ['a match of nothing', ruleLines('{ id: a, match: { kind: resource, risk: read_only }, action: deny }'), 'warning matches_nothing 2:21 a', 'read_only'],
    ['an ask that nobody can be asked', ruleLines('{ id: a, match: { kind: data_source }, action: ask }'), 'warning pointless_ask 2:52 a', 'Say deny'],
    ['a profile without a use', `profiles:\n  ci: {}\n${ruleLines('{ id: a, match: { tool_name: x }, action: deny }')}`, 'warning unused_profile 2:3', 'Remove it'],
    ['an anchor', 'rules:\n  - &a { id: a }\n', 'error unreadable 2:8', 'no anchors'],
    ['a repeated key', 'rules: []\nrules: []\n', 'error unreadable 2:1', 'repeated keys'],
    ['no YAML at all', '{', 'error unreadable 1:2', 'YAML'],
    ['nothing', '', 'error unreadable 1:1', 'YAML'],
    ['a list', '- 1\n', 'error invalid 1:1', 'Correct'],
  ])('names %s', (_what, text, finding, suggestion) => {
    expect(found(text)).toEqual([finding]);
    expect(lintText(text).findings[0]!.suggestion).toContain(suggestion);
  });

  it.each([
    ['a guardrail that allows', ruleLines('{ id: a, match: { tool_name: x }, action: allow }')],
  ])('names %s', (_what, text) => {
    expect(found(text, 'guardrails')).toEqual(['error invalid 2:47 a']);
    expect(found(text)).toEqual([]);
  });

  it('names everything at once, in the order of the text', () => {
    expect(found(ruleLines('{ id: a, match: { kin: resource }, action: deny }', '{ id: b, match: {}, action: never, wen: "true" }'))).toEqual([
      'error unknown_field 2:23', 'error invalid 3:33', 'error unknown_field 3:40',
    ]);
  });

  it.each([
    ['a star before nothing', ['{ id: wide, match: { tool_name: "*" }, action: deny }', '{ id: none, match: { kind: resource }, action: ask }'], 'none wide'],
    ['the highest risk before it upwards', ['{ id: exact, match: { risk: critical }, action: deny }', '{ id: up, match: { risk_at_least: critical }, action: ask }'], 'up exact'],
    ['all risks before their operation', [...['low', 'moderate', 'high', 'critical', 'read_only'].map((risk) => `{ id: ${risk}, match: { tool_name: x, risk: ${risk} }, action: deny }`), '{ id: rest, match: { tool_name: x }, action: ask }'], 'rest low moderate high critical read_only'],
    ['a wide pattern over a narrow one', ['{ id: wide, match: { tool_name: "a*" }, over: narrow, action: deny }', '{ id: narrow, match: { tool_name: "ab*" }, action: ask }'], 'narrow wide'],
  ])('names a rule that can never win: %s', (_what, rules, ids) => {
    expect(lintText(ruleLines(...rules)).findings.filter(({ code }) => code === 'shadowed').map((finding) => finding.rules!.join(' '))).toEqual([ids]);
  });

  it('never calls a rule shadowed that wins for some call', () => {
    const name = fc.constantFrom('a', 'ab', 'a*', '*b', '*', 'b*');
    const rule = fc.record({
      match: fc.record({ tool_name: name, provider: fc.constantFrom('p', 'p*', '*'), risk: fc.constantFrom('low', 'critical', 'read_only'), kind: fc.constantFrom('resource', 'data_source') }, { requiredKeys: [] }),
      action: fc.constantFrom('allow', 'deny'), profile: fc.constantFrom('one', 'two'),
    }, { requiredKeys: ['match', 'action'] });
    fc.assert(fc.property(fc.array(rule, { maxLength: 5 }), fc.constantFrom('a', 'ab', 'b', 'bb'), fc.constantFrom('p', 'q'), fc.constantFrom(
      ['resource', 'low'], ['resource', 'critical'], ['data_source', 'read_only'],
    ), fc.constantFrom('one', 'two'), (drawn, tool, provider, [kind, risk], profile) => {
      const rules = drawn.map((one, index) => ({ id: `r${index}`, ...one }));
      const report = lintText(stringify({ rules }));
      fc.pre(report.digest !== undefined);
      const shadowed = report.findings.filter(({ code }) => code === 'shadowed').map((finding) => finding.rules![0]);
      const verdict = judge(compilePolicy({ rules: compileBundle({ rules }) }), factsOf({ item: { kind, provider, name: tool, risk }, session: { profile } } as never));
      expect(shadowed).not.toContain(verdict.rule);
    }), { numRuns: 3_000 });
  });

  it('is of one mind with activation, and bounded', () => {
    const many = stringify({ rules: Array.from({ length: 10_000 }, (_, index) => ({ id: `r${index}`, match: { tool_name: `t${index}` }, action: 'deny' })) });
    expect(found(many)).toEqual(['error invalid 2:3']);
    const wrong = stringify({ rules: Array.from({ length: 1_000 }, (_, index) => ({ id: `r${index}`, match: { tool: 'x' }, action: 'deny' })) });
    expect(lintText(wrong).findings).toHaveLength(LIMITS.lintFindings);
    expect(found('x'.repeat(LIMITS.policyBundleBytes + 1))).toEqual(['error unreadable 1:1']);
    expect(POLICY_BUNDLE_SCHEMA.properties.rules.maxItems).toBe(LIMITS.policyRules);
  });
});
