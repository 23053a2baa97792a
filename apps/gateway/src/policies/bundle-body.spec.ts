import { LIMITS } from '@countersign/contracts';
import { YamlText } from '../edge/content-types.js';
import { bundleFrom } from './bundle-body.js';

const rules = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `r${index}`, match: { tool_name: `operation-${index}`, kind: 'resource' }, action: 'deny' }));

it('reads the largest bundle in time, by the strict reading', () => {
  const bundle = { rules: rules(LIMITS.policyRules) };
  const yaml = `rules:\n${bundle.rules.map(({ id, match, action }) => `  - id: ${id}\n    match: { tool_name: ${match.tool_name}, kind: ${match.kind} }\n    action: ${action}\n`).join('')}`;
  expect(bundleFrom(new YamlText(yaml))).toEqual(bundle);
  expect(() => bundleFrom(new YamlText('rules: &all []'))).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', details: expect.objectContaining({ path: '', problem: expect.stringContaining('anchor') }) }));
});

it.each([
  ['a line of commas', `rules: [${','.repeat(240_000)}]`],
  ['a line of anchors', `rules: ${'&a '.repeat(80_000)}`],
])('gives up on %s, which the YAML library reads very slowly', (_what, text) => {
  const began = performance.now();
  expect(() => bundleFrom(new YamlText(text))).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
  expect(performance.now() - began).toBeLessThan(LIMITS.policyReadMs * 2);
});

it('takes an object from JSON and nothing else', () => {
  expect(bundleFrom({ rules: [] })).toEqual({ rules: [] });
  for (const body of [undefined, null, [], 'rules: []', 1]) expect(() => bundleFrom(body)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
});

it('takes no more from JSON than from YAML', () => {
  for (const body of [{ rules: rules(LIMITS.policyRules + 1) }, { rules: 'x'.repeat(LIMITS.policyBundleBytes) }]) {
    expect(() => bundleFrom(body)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
  }
  expect(bundleFrom({ rules: rules(LIMITS.policyRules) }).rules).toHaveLength(LIMITS.policyRules);
});
