/** `npm run flow`: writes docs/FLOW.md from the map in libs/contracts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { bootstrap, command } from './bootstrap.mjs';
import { flowText } from './support/flow-text.mjs';
import { inRoot } from './support/root.mjs';
import { say } from './support/say.mjs';

await command(async () => {
  await bootstrap();
  const { AUTHOR_OF, FLOW, SERVICES, STREAM_OF } = await import('@countersign/contracts');
  mkdirSync(inRoot('docs'), { recursive: true });
  writeFileSync(inRoot('docs', 'FLOW.md'), flowText({ services: SERVICES, flow: FLOW, authorOf: AUTHOR_OF, streamOf: STREAM_OF }));
  say('docs/FLOW.md is written');
});
