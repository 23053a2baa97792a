import type { LintReport, PolicyBundle, PolicyLayer } from '@countersign/contracts';
import { GateError, digestOf } from '@countersign/kernel';
import { compileBundle } from '../compile-bundle.js';
import { readDocument } from '../parse-bundle.js';
import { Report } from './report.js';
import { reportEachRule, reportTogether } from './rule-findings.js';
import { shapeIsSound } from './shape-findings.js';
import { TextPlaces } from './text-places.js';

/**
 * Everything that an author of a bundle should know, each with its place in the text and a way out. Errors are what
 * activation would refuse; without one the report names the bundle's digest. At most `LIMITS.lintFindings`.
 * Never throws for what the text says.
 */
export function lintText(text: string, { layer = 'rules' }: { readonly layer?: PolicyLayer } = {}): LintReport {
  const read = readOrReport(text);
  if ('findings' in read) return read;
  const { candidate, report } = read;
  if (!shapeIsSound(candidate, report)) return { findings: report.findings(), rules: rulesIn(candidate) };
  const bundle = candidate as PolicyBundle;
  reportEachRule(bundle, layer, report);
  reportTogether(bundle, report);
  const digest = sound(bundle, layer, report);
  return { findings: report.findings(), rules: bundle.rules.length, ...(digest === undefined ? {} : { digest }) };
}

function readOrReport(text: string): LintReport | { readonly candidate: unknown; readonly report: Report } {
  try {
    const document = readDocument(text);
    return { candidate: document.toJS({ maxAliasCount: 0 }), report: new Report(new TextPlaces(text, document)) };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const { offset } = error.details as { offset?: number };
    const report = new Report(new TextPlaces(text));
    report.error('unreadable', '', error.message, 'A bundle is one YAML 1.2 document of plain data: no anchors, aliases, tags or repeated keys.', { offset: offset ?? 0 });
    return { findings: report.findings(), rules: 0 };
  }
}

/** What activation says has the last word: a bundle is sound only when it compiles. */
function sound(bundle: PolicyBundle, layer: PolicyLayer, report: Report): string | undefined {
  if (report.findings().some(({ severity }) => severity === 'error')) return undefined;
  try {
    compileBundle(bundle, { layer });
    return digestOf(bundle);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    report.error('invalid', (error.details as { path?: string } | undefined)?.path ?? '', error.message, 'Correct what it names.');
    return undefined;
  }
}

const rulesIn = (candidate: unknown): number => {
  const rules = (candidate as { rules?: unknown } | null)?.rules;
  return Array.isArray(rules) ? rules.length : 0;
};
