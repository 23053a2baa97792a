import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileBundle, compilePolicy, explain, judge, parseCaseFile, runCases } from './index.js';
import { factsOf } from './testing/given-facts.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'cases');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

it('finds the cases', () => {
  expect(files.length).toBeGreaterThanOrEqual(6);
});

describe.each(files)('%s', (name) => {
  const file = parseCaseFile(readFileSync(join(folder, name), 'utf8'));
  it.each(runCases(file))('$name', ({ passed, wanted, got }) => {
    expect(got).toStrictEqual(wanted);
    expect(passed).toBe(true);
  });

  it('is judged the same twice, and explained as it is judged', () => {
    const { bundle = { rules: [] }, guardrails, standing, published, cases = [] } = file;
    const policy = () => compilePolicy({
      rules: compileBundle(bundle), ...(guardrails === undefined ? {} : { guardrails: compileBundle(guardrails, { layer: 'guardrails' }) }),
      ...(standing ? { standing } : {}), ...(published ? { published } : {}),
    });
    for (const { name: _, expect: __, ...given } of cases) {
      const facts = factsOf(given);
      const verdict = judge(policy(), facts);
      expect(judge(policy(), facts)).toStrictEqual(verdict);
      expect(explain(policy(), facts)).toMatchObject({ decision: verdict.decision, decidedBy: verdict.decidedBy, layers: verdict.layers });
    }
  });
});
