import { GateError, canonicalJson, isGateError } from '@countersign/kernel';
import { compileBundle } from '../compile-bundle.js';
import { compilePolicy, type CompiledPolicy } from '../compile-policy.js';
import { explain } from '../explain.js';
import type { LayeredVerdict } from '../facts.js';
import { judge } from '../judge.js';
import type { CaseFile, PolicyCase, RefusedBundle } from './case-file.js';
import { factsOf } from './given-facts.js';

export interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  /** As it was wanted and as it was, each in parts that can be compared; only of one that failed. */
  readonly wanted?: unknown;
  readonly got?: unknown;
  /** Why it was judged so; only of one that failed. */
  readonly why?: string;
}

/**
 * Judges every case of a file by its bundles.
 * @throws GateError POLICY_INVALID, POLICY_CONFLICT when the bundles themselves are refused
 */
export function runCases(file: CaseFile): CaseResult[] {
  const { cases = [], refused = [] } = file;
  const policy = cases.length > 0 ? policyIn(file) : undefined;
  return [...cases.map((one) => runCase(policy!, one)), ...refused.map(runRefused)];
}

function policyIn({ bundle = { rules: [] }, guardrails, standing, published }: CaseFile): CompiledPolicy {
  return compilePolicy({
    rules: compileBundle(bundle), ...(guardrails === undefined ? {} : { guardrails: compileBundle(guardrails, { layer: 'guardrails' }) }),
    ...(standing ? { standing } : {}), ...(published ? { published } : {}),
  });
}

function runCase(policy: CompiledPolicy, { name, expect: wanted, ...given }: PolicyCase): CaseResult {
  const facts = factsOf(given);
  const verdict = judge(policy, facts);
  const got = compared(verdict, wanted);
  if (isSame(got, wanted)) return { name, passed: true };
  return { name, passed: false, wanted, got, why: explain(policy, facts).why };
}

/** The audit entry is compared where a case states it; what decides, always whole. */
const compared = ({ layers, terms, expiresInMs, ...verdict }: LayeredVerdict, wanted: Partial<LayeredVerdict>): Partial<LayeredVerdict> => ({
  ...verdict,
  ...(wanted.layers === undefined ? {} : { layers }), ...(wanted.terms === undefined ? {} : { terms }), ...(wanted.expiresInMs === undefined ? {} : { expiresInMs }),
});

function runRefused({ name, bundle, layer = 'rules', code, details }: RefusedBundle): CaseResult {
  const wanted = { code, details };
  const refusal = refusalOf(() => compileBundle(bundle, { layer }));
  const got = refusal ? { code: refusal.code, details: refusal.details } : 'it was not refused';
  return isSame(got, wanted) ? { name, passed: true } : { name, passed: false, wanted, got };
}

function refusalOf(action: () => unknown): GateError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (isGateError(error)) return error;
    throw error;
  }
}

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(plain(one)) === canonicalJson(plain(other));
/** Without members that are undefined, as they stand in a file. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;
