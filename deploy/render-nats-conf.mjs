#!/usr/bin/env node
/**
 * Writes nats.conf for a server that is run by others than us, and credentials.json with a user for each service.
 * Credentials that are there already are kept, so that it may run again after an update.
 *
 *   node deploy/render-nats-conf.mjs --out <folder> [--name <server>] [--listen 0.0.0.0:4222] [--store /data]
 *                                    [--cluster-listen 0.0.0.0:6222 --route nats://<other>:6222 …]
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    name: { type: 'string', default: 'countersign' },
    listen: { type: 'string', default: '0.0.0.0:4222' },
    store: { type: 'string', default: '/data' },
    'cluster-listen': { type: 'string' },
    route: { type: 'string', multiple: true, default: [] },
  },
});
if (!values.out) fail('Say where to write: --out <folder>');
if (values.route.length > 0 && !values['cluster-listen']) fail('--route needs --cluster-listen');

const { generateCredentials, serverConfiguration } = await import('@countersign/broker')
  .catch((error) => fail(`The libraries are not built (npm run build): ${error.message}`));

await mkdir(values.out, { recursive: true });
const credentials = await credentialsIn(join(values.out, 'credentials.json'));
const listen = values['cluster-listen'];
await writePrivate(join(values.out, 'nats.conf'), serverConfiguration(credentials, {
  serverName: values.name, listen: values.listen, storeDir: values.store,
  ...(listen ? { cluster: { name: 'countersign', listen, routes: values.route } } : {}),
}));
console.log(`nats.conf and credentials.json are in ${values.out}; both hold passwords.`);

async function credentialsIn(file) {
  const known = await readFile(file, 'utf8').catch((error) => (error.code === 'ENOENT' ? undefined : fail(error.message)));
  if (known) return withEveryService(JSON.parse(known), file);
  const made = generateCredentials();
  await writePrivate(file, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** A service that came with an update gets a user; nobody else's password changes. */
async function withEveryService(known, file) {
  const fresh = generateCredentials();
  const all = { setup: known.setup ?? fresh.setup, services: { ...fresh.services, ...known.services }, routes: known.routes ?? fresh.routes };
  if (JSON.stringify(all) !== JSON.stringify(known)) await writePrivate(file, `${JSON.stringify(all, null, 2)}\n`);
  return all;
}

/** For its owner alone, also where a file with wider rights stood, and whole or not at all: passwords that exist nowhere else are in it. */
async function writePrivate(file, text) {
  const draft = `${file}.${process.pid}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
