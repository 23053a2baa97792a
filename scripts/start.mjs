#!/usr/bin/env node
/** `npm start`: everything in one process (or, with `-- --processes`, a process a service). See `apps/standalone`. */
import { bootstrap, command } from './bootstrap.mjs';

await command(async () => {
  await bootstrap();
  const { main } = await import('@countersign/app-standalone');
  return main(process.argv.slice(2));
});
