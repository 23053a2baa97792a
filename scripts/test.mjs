/**
 * `npm test`: everything that must hold, from a fresh clone on. Each stage is told with its name and time; all stages run
 * even when one fails, so that one run shows everything. What follows `--` goes to jest.
 * The last line on stdout is `Tests: N passed, N failed`.
 */
import { bootstrap, command, ensureDependencies } from './bootstrap.mjs';
import { inRoot } from './support/root.mjs';
import { runNode } from './support/run.mjs';
import { say, seconds } from './support/say.mjs';

const failedStages = [];

/** @returns {Promise<boolean>} whether it held */
async function stage(name, body) {
  say(`\n── ${name}`);
  const started = performance.now();
  let problem;
  try {
    const code = await body();
    if (code) problem = `exit code ${code}`;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  if (problem) failedStages.push(name);
  say(`── ${name}: ${problem ? `FAILED (${problem})` : 'ok'} in ${seconds(started)}`);
  return problem === undefined;
}

const script = (name) => async () => (await runNode([inRoot('scripts', `${name}.mjs`)])).code;

await command(async () => {
  if (!(await stage('install', ensureDependencies))) return 1;
  await stage('build', () => bootstrap());
  await stage('lint', script('lint'));
  await stage('typecheck', script('typecheck'));
  let counts = { passed: 0, failed: 0, skipped: 0 };
  await stage('specs', async () => {
    const { runJest } = await import('./support/jest.mjs');
    const result = await runJest(process.argv.slice(2));
    counts = result;
    return result.code;
  });
  if (failedStages.length > 0) say(`\nFailed: ${failedStages.join(', ')}`);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  process.stdout.write(`Tests: ${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  return failedStages.length > 0 ? 1 : 0;
});
