import type { PolicyLayer } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { parse } from 'yaml';
import type { PolicyParts } from '../compile-policy.js';
import type { LayeredVerdict } from '../facts.js';
import type { GivenFacts } from './given-facts.js';

/** One call and what policy must say of it. What decides is compared whole; `layers` (the audit entry), `terms` and `expiresInMs` where they are given. */
export interface PolicyCase extends GivenFacts {
  readonly name: string;
  readonly expect: Partial<LayeredVerdict> & Pick<LayeredVerdict, 'decision' | 'decidedBy'>;
}

/** A bundle that must be refused, with the code and details of the refusal. */
export interface RefusedBundle {
  readonly name: string;
  readonly layer?: PolicyLayer;
  readonly bundle: unknown;
  readonly code: string;
  readonly details: unknown;
}

/** A file of cases: the bundles in it or beside it, what else holds, and the cases. */
export interface CaseFile extends Pick<PolicyParts, 'standing' | 'published'> {
  /** In place, or `bundleFile`: its path, from this file's folder. Neither: no rules. */
  readonly bundle?: unknown;
  readonly bundleFile?: string;
  readonly guardrails?: unknown;
  readonly guardrailsFile?: string;
  readonly cases?: readonly PolicyCase[];
  readonly refused?: readonly RefusedBundle[];
}

const FILE_FIELDS = ['bundle', 'bundleFile', 'guardrails', 'guardrailsFile', 'standing', 'published', 'cases', 'refused'];
const CASE_FIELDS = ['name', 'expect', 'item', 'input', 'noInput', 'session', 'tenant', 'frozenBy', 'vetoes', 'now'];
const EXPECT_FIELDS = ['decision', 'decidedBy', 'rule', 'downgraded', 'message', 'terms', 'expiresInMs', 'layers'];

/** @throws GateError INVALID_REQUEST saying what of the file is no case */
export function parseCaseFile(text: string): CaseFile {
  const file = objectOf(readYaml(text), 'The file', FILE_FIELDS);
  const cases = listOf(file['cases'], 'cases').map(caseOf);
  const refused = listOf(file['refused'], 'refused').map((one, index) => objectOf(one, `refused[${index}]`, ['name', 'layer', 'bundle', 'code', 'details']));
  if (cases.length + refused.length === 0) throw invalid('The file holds no case: a run that tries nothing proves nothing');
  return { ...file, cases, refused: refused as unknown as RefusedBundle[] };
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw invalid(`The file is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

function caseOf(value: unknown, index: number): PolicyCase {
  const one = objectOf(value, `cases[${index}]`, CASE_FIELDS);
  const where = typeof one['name'] === 'string' ? `The case “${one['name']}”` : `cases[${index}]`;
  if (typeof one['name'] !== 'string') throw invalid(`${where} has no name`);
  const item = objectOf(one['item'], `${where}: item`);
  for (const field of ['kind', 'provider', 'name', 'risk']) if (typeof item[field] !== 'string') throw invalid(`${where}: item has no ${field}`);
  const wanted = objectOf(one['expect'], `${where}: expect`, EXPECT_FIELDS);
  for (const field of ['decision', 'decidedBy']) if (typeof wanted[field] !== 'string') throw invalid(`${where}: expect has no ${field}`);
  return one as unknown as PolicyCase;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(`${what} is a list`);
  return value;
}

/** A misspelt field would make a case that says less than its author thinks. */
function objectOf(value: unknown, what: string, fields?: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${what} is not an object`);
  const unknown = fields && Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw invalid(`${what} has no field ${unknown}; there are ${fields!.join(', ')}`);
  return value as Record<string, unknown>;
}

const invalid = (problem: string): GateError => new GateError('INVALID_REQUEST', problem);
