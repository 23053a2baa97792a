/** The benchmark's own process. `print` is the only way to the command's stdout, which is handed down as descriptor 3. */
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { command } from '../bootstrap.mjs';
import { inRoot } from './root.mjs';

await command(async () => {
  const { main } = await import(pathToFileURL(inRoot('test/load/dist/main.js')).href);
  return main(process.argv.slice(2), (text) => writeSync(3, `${text}\n`));
});
