/** `npm run spec [-- <jest arguments>]`: jest alone, for the quick loop while one works. `npm test` is the whole. */
import { command, ensureDependencies } from './bootstrap.mjs';
import { inRoot } from './support/root.mjs';
import { JEST_ENV } from './support/jest.mjs';
import { runNode } from './support/run.mjs';

await command(async () => {
  await ensureDependencies();
  const { code } = await runNode([inRoot('node_modules', 'jest', 'bin', 'jest.js'), ...process.argv.slice(2)], { env: JEST_ENV, stdio: 'inherit' });
  return code;
});
