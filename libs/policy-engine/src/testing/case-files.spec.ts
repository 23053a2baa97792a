import { parseCaseFile, runCases } from '../index.js';

const ITEM = '{ kind: resource, provider: files, name: write, risk: low }';

describe('a case file', () => {
  it.each([
    ['is no YAML', 'cases: [', /not YAML/],
    ['is no object', '[]', /The file is not an object/],
    ['tries nothing', 'cases: []', /tries nothing/],
    ['has an unknown field', 'case: []', /no field case/],
    ['has a case without a name', `cases: [{ item: ${ITEM}, expect: { decision: ask, decidedBy: x } }]`, /cases\[0\] has no name/],
    ['has a case without an item', 'cases: [{ name: a, expect: { decision: ask, decidedBy: x } }]', /“a”: item is not an object/],
    ['has an item without a risk', 'cases: [{ name: a, item: { kind: resource, provider: p, name: n }, expect: { decision: ask, decidedBy: x } }]', /item has no risk/],
    ['expects nothing', `cases: [{ name: a, item: ${ITEM}, expect: { decision: ask } }]`, /expect has no decidedBy/],
    ['misspells what it expects', `cases: [{ name: a, item: ${ITEM}, expect: { decision: ask, decidedBy: x, rules: y } }]`, /no field rules/],
  ])('that %s is refused, saying where', (_, text, says) => {
    expect(() => parseCaseFile(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(says) as string }));
  });

  it('says of a case that fails what was wanted, what it is and why', () => {
    const file = parseCaseFile(`
bundle: { rules: [{ id: no-writes, match: { tool_name: write }, action: deny }] }
cases:
  - { name: right, item: ${ITEM}, expect: { decision: deny, decidedBy: "policy:no-writes", rule: no-writes } }
  - { name: wrong, item: ${ITEM}, expect: { decision: allow, decidedBy: "policy:default" } }
refused:
  - { name: is fine, bundle: { rules: [] }, code: POLICY_INVALID, details: {} }
`);
    expect(runCases(file)).toEqual([
      { name: 'right', passed: true },
      { name: 'wrong', passed: false, wanted: { decision: 'allow', decidedBy: 'policy:default' }, got: { decision: 'deny', decidedBy: 'policy:no-writes', rule: 'no-writes' }, why: expect.stringContaining('deny by policy:no-writes') },
      { name: 'is fine', passed: false, wanted: { code: 'POLICY_INVALID', details: {} }, got: 'it was not refused' },
    ]);
  });
});
