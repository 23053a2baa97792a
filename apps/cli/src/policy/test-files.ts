import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { GateError } from '@countersign/kernel';
import { parseBundle, parseCaseFile, runCases, type CaseFile, type CaseResult } from '@countersign/policy-engine';
import { green, oneLine, red } from '../render/terminal.js';
import type { Shell } from '../shell.js';
import { CheckFailed } from './check-failed.js';

/** @throws CheckFailed when a case failed or a file is none; an author's CI ends with exit code 1 then */
export async function testFiles(shell: Shell, files: readonly string[]): Promise<void> {
  const tested = await Promise.all(files.map(async (file) => ({ file, results: await resultsOf(file) })));
  const results = tested.flatMap((one) => one.results);
  const failed = results.filter(({ passed }) => !passed).length;
  shell.print(tested, () => [
    ...tested.flatMap(({ file, results: some }) => [file, ...some.map(renderResult)]),
    `${results.length - failed} passed, ${failed} failed`,
  ].join('\n'));
  if (failed > 0) throw new CheckFailed(`${failed} of ${results.length} cases failed`);
}

/** A file that cannot be read or whose bundle is refused is one failure, and the other files are run all the same. */
async function resultsOf(file: string): Promise<CaseResult[]> {
  try {
    return runCases(await withBundles(parseCaseFile(await readFile(file, 'utf8')), dirname(file)));
  } catch (error) {
    if (!(error instanceof GateError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    return [{ name: 'the file', passed: false, why: error instanceof GateError ? `${error.code}: ${error.message}` : (error as Error).message }];
  }
}

async function withBundles({ bundleFile, guardrailsFile, ...file }: CaseFile, folder: string): Promise<CaseFile> {
  return {
    ...file,
    ...(bundleFile === undefined ? {} : { bundle: parseBundle(await readFile(resolve(folder, bundleFile), 'utf8')) }),
    ...(guardrailsFile === undefined ? {} : { guardrails: parseBundle(await readFile(resolve(folder, guardrailsFile), 'utf8')) }),
  };
}

function renderResult({ name, passed, wanted, got, why }: CaseResult): string {
  if (passed) return `  ${green('ok')}    ${oneLine(name, 200)}`;
  return [
    `  ${red('FAIL')}  ${oneLine(name, 200)}`,
    ...(wanted === undefined ? [] : [`        wanted ${oneLine(JSON.stringify(wanted), 2_000)}`, `        got    ${oneLine(JSON.stringify(got), 2_000)}`]),
    ...(why === undefined ? [] : [`        ${oneLine(why, 1_000)}`]),
  ].join('\n');
}
