import { readFile } from 'node:fs/promises';
import type { LintFinding, PolicyLayer } from '@countersign/contracts';
import { lintText } from '@countersign/policy-engine';
import { oneLine, red, yellow } from '../render/terminal.js';
import type { Shell } from '../shell.js';
import { CheckFailed } from './check-failed.js';

/** @throws CheckFailed when a file has an error; an author's CI ends with exit code 1 then */
export async function lintFiles(shell: Shell, files: readonly string[], layer: PolicyLayer): Promise<void> {
  const reports = await Promise.all(files.map(async (file) => ({ file, ...lintText(await readFile(file, 'utf8'), { layer }) })));
  shell.print(reports, () => reports.flatMap(({ file, findings, rules, digest }) => [
    ...findings.map((finding) => renderFinding(file, finding)),
    `${file}: ${rules} rules, ${findings.length === 0 ? 'nothing to say' : `${findings.length} findings`}${digest === undefined ? '' : `, digest ${digest}`}`,
  ]).join('\n'));
  const errors = reports.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'error').length;
  if (errors > 0) throw new CheckFailed(`${errors} of what was found would refuse the bundle`);
}

/** As compilers say it, so that editors find the place. */
const renderFinding = (file: string, { severity, code, message, suggestion, line, column }: LintFinding): string =>
  `${file}:${line}:${column}: ${severity === 'error' ? red(severity) : yellow(severity)} [${code}] ${oneLine(message, 400)}\n    ${oneLine(suggestion, 400)}`;
