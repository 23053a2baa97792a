#!/usr/bin/env node
/**
 * `npm run bench`: the benchmark of `test/load`, in a process of its own. With `--json` stdout carries one JSON object
 * and nothing else: whatever services and libraries print goes to stderr, even what is written past `process.stdout`.
 */
import { bootstrap, command } from './bootstrap.mjs';
import { inRoot } from './support/root.mjs';
import { runNode } from './support/run.mjs';

await command(async () => {
  await bootstrap();
  const argv = process.argv.slice(2);
  const stdout = argv.includes('--json') ? 2 : 1;
  const { code } = await runNode([inRoot('scripts/support/bench-process.mjs'), ...argv], { stdio: ['inherit', stdout, 2, 1] });
  return code;
});
