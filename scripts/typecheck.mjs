/** `npm run typecheck`: the compiler over everything, remembering what it knew, so that a second run takes a fraction. */
import { command, ensureDependencies } from './bootstrap.mjs';
import { inRoot } from './support/root.mjs';
import { runNode } from './support/run.mjs';

const MEMORY = inRoot('node_modules', '.cache', 'countersign', 'types.tsbuildinfo');

await command(async () => {
  await ensureDependencies();
  const tsc = inRoot('node_modules', 'typescript', 'bin', 'tsc');
  const { code } = await runNode([tsc, '-p', inRoot('tsconfig.json'), '--incremental', '--tsBuildInfoFile', MEMORY, ...process.argv.slice(2)]);
  return code;
});
