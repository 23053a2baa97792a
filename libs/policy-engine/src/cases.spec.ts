import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GateError } from '@countersign/kernel';
import { parse } from 'yaml';
import { compileBundle, evaluate, type EvaluationResult, type JudgedCall } from './index.js';

interface CaseFile {
  readonly bundle?: unknown;
  readonly cases?: readonly { readonly name: string; readonly item: JudgedCall; readonly expect: EvaluationResult }[];
  readonly refused?: readonly { readonly name: string; readonly bundle: unknown; readonly code: string; readonly details: unknown }[];
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

it('finds the cases', () => {
  expect(files.length).toBeGreaterThanOrEqual(6);
});

describe.each(files)('%s', (file) => {
  const { bundle, cases = [], refused = [] } = parse(readFileSync(join(folder, file), 'utf8')) as CaseFile;
  it('holds something to try', () => expect(cases.length + refused.length).toBeGreaterThan(0));

  if (cases.length > 0) {
    it.each(cases)('$name', ({ item, expect: wanted }) => {
      expect(evaluate(compileBundle(bundle), item)).toStrictEqual(wanted);
    });
  }
  if (refused.length > 0) {
    it.each(refused)('$name', ({ bundle: bad, code, details }) => {
      const error = caught(() => compileBundle(bad));
      expect({ code: error.code, details: error.details }).toEqual({ code, details });
    });
  }
});
