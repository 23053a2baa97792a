#!/usr/bin/env node
/** The command line, `countersign …`. Says nothing of its own unless something had to be installed or could not be built. */
import { bootstrap, command } from './bootstrap.mjs';
import { quiet } from './support/say.mjs';

await command(async () => {
  await bootstrap({ tell: quiet });
  const { main } = await import('@countersign/app-cli');
  return main(process.argv.slice(2));
});
