/**
 * `npm run lint [-- <paths>]`. The rule that guards the boundaries reads Nx's cached project graph and skips itself with a
 * mere warning when there is none; so the graph is computed first, and that warning is a failure.
 */
import { fileURLToPath } from 'node:url';
import { command, ensureDependencies } from './bootstrap.mjs';
import { inRoot } from './support/root.mjs';
import { runNode } from './support/run.mjs';
import { say, seconds } from './support/say.mjs';

const SKIPPED = /No cached ProjectGraph/;
/** What the rule says while it looks for a repair of an import by path; this workspace has no such file and needs none. */
const NOISE = /^Error reading "tsconfig\.base\.json":\s*\n\{.*\}\n/gm;

/** Nx must not phone home, keep a daemon, or be told another root by an outer run. */
const NX_ENV = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_WORKSPACE_ROOT_PATH: '', NX_CACHE_PROJECT_GRAPH: 'true' };

/** @throws Error when the graph cannot be computed or holds fewer projects than the workspace has packages */
export async function computeProjectGraph() {
  const started = performance.now();
  const { code, output } = await runNode([inRoot('scripts/lint/project-graph.mjs')], { env: NX_ENV, capture: true });
  if (code !== 0) throw new Error(`lint: the project graph could not be computed, so no boundary would be checked\n\n${output.trim()}`);
  say(`lint: ${output.trim()} in ${seconds(started)}`);
}

/** @returns {Promise<number>} exit code; not 0 as well when the boundaries were not checked */
export async function runEslint(paths) {
  const eslint = inRoot('node_modules', 'eslint', 'bin', 'eslint.js');
  const { code, output } = await runNode([eslint, '--max-warnings', '0', ...(paths.length > 0 ? paths : ['.'])], { env: NX_ENV, capture: true });
  const findings = output.replace(NOISE, '').trimEnd();
  if (findings !== '') say(findings);
  if (!SKIPPED.test(output)) return code;
  say('lint: no project graph was cached, so the boundaries were not checked. This is a failure.');
  return code || 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await ensureDependencies();
    await computeProjectGraph();
    return runEslint(process.argv.slice(2));
  });
}
