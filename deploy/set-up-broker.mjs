#!/usr/bin/env node
/**
 * The set-up job: creates the streams and consumers that are missing on a running broker, and refuses, naming the
 * setting, when one that exists is not as it must be. Run it once before the services, and after each update. With
 * --update it also brings what an older version set up to what this one needs, where nothing can be lost by it; the
 * services of the older version must be stopped then.
 *
 *   node deploy/set-up-broker.mjs --url nats://<host>:4222 [--url …] --credentials <folder>/credentials.json [--replicas 1] [--update]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    url: { type: 'string', multiple: true, default: [] },
    credentials: { type: 'string' },
    replicas: { type: 'string', default: '1' },
    update: { type: 'boolean', default: false },
  },
});
const replicas = Number(values.replicas);
if (values.url.length === 0 || !values.credentials) fail('Needs --url and --credentials');
if (![1, 3, 5].includes(replicas)) fail('--replicas is 1, 3 or 5');

const { connectSetUp, setUpBroker } = await import('@countersign/broker')
  .catch((error) => fail(`The libraries are not built (npm run build): ${error.message}`));

try {
  const { setup } = JSON.parse(await readFile(values.credentials, 'utf8'));
  const connection = await connectSetUp({ urls: values.url, ...setup });
  try {
    const { created, updated } = await setUpBroker(connection, { replicas, update: values.update });
    if (created.length + updated.length === 0) console.log('Everything was there and as it must be.');
    if (created.length > 0) console.log(`Created: ${created.join(', ')}.`);
    if (updated.length > 0) console.log(`Updated: ${updated.join(', ')}.`);
  } finally {
    await connection.close();
  }
} catch (error) {
  fail(error.message);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
