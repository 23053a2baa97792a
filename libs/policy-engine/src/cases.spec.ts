import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GateError } from '@countersign/kernel';
import { parse } from 'yaml';
import { compileBundle, compilePolicy, explain, judge, type ItemFacts, type LayeredVerdict, type PolicyParts } from './index.js';
import { factsOf, type GivenFacts } from '../test/facts.js';

interface CaseFile extends Omit<PolicyParts, 'rules' | 'guardrails'> {
  readonly bundle?: unknown;
  readonly guardrails?: unknown;
  readonly cases?: readonly (GivenFacts & { readonly name: string; readonly expect: Partial<LayeredVerdict> & Pick<LayeredVerdict, 'decision' | 'decidedBy'> })[];
  readonly refused?: readonly { readonly name: string; readonly layer?: 'rules' | 'guardrails'; readonly bundle: unknown; readonly code: string; readonly details: unknown }[];
}

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'cases');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
const caught = (action: () => unknown): GateError => {
  try {
    action();
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

/** The audit entry is compared where a case states it; what decides, always whole. */
const compared = ({ layers, terms, expiresInMs, ...verdict }: LayeredVerdict, wanted: Partial<LayeredVerdict>): Partial<LayeredVerdict> => ({
  ...verdict,
  ...(wanted.layers === undefined ? {} : { layers }), ...(wanted.terms === undefined ? {} : { terms }), ...(wanted.expiresInMs === undefined ? {} : { expiresInMs }),
});

it('finds the cases', () => {
  expect(files.length).toBeGreaterThanOrEqual(6);
});

describe.each(files)('%s', (file) => {
  const { bundle, guardrails, cases = [], refused = [], ...parts } = parse(readFileSync(join(folder, file), 'utf8')) as CaseFile;
  it('holds something to try', () => expect(cases.length + refused.length).toBeGreaterThan(0));

  if (cases.length > 0) {
    const policy = () => compilePolicy({ rules: compileBundle(bundle), ...(guardrails === undefined ? {} : { guardrails: compileBundle(guardrails, { layer: 'guardrails' }) }), ...parts });
    it.each(cases)('$name', ({ name: _, expect: wanted, ...given }) => {
      const facts: ItemFacts = factsOf(given);
      const verdict = judge(policy(), facts);
      expect(compared(verdict, wanted)).toStrictEqual(wanted);
      expect(judge(policy(), facts)).toStrictEqual(verdict);
      expect(explain(policy(), facts)).toMatchObject({ decision: verdict.decision, decidedBy: verdict.decidedBy, layers: verdict.layers });
    });
  }
  if (refused.length > 0) {
    it.each(refused)('$name', ({ bundle: bad, layer = 'rules', code, details }) => {
      const error = caught(() => compileBundle(bad, { layer }));
      expect({ code: error.code, details: error.details }).toEqual({ code, details });
    });
  }
});
