/**
 * What projecting costs beside a bare COPY of the same rows into the same tables:
 * `node --conditions=source --import ./libs/transport-jetstream/test/ts-hooks.mjs libs/audit-store/test/copy-bench.ts [plans]`
 */
import { LOG_STREAMS } from '@countersign/contracts';
import { openAuditStore } from '../src/index.js';
import { copyIn } from '../src/copy-in.js';
import { inTransaction } from '../src/connection.js';
import { digestTables } from '../src/digest.js';
import { dataSourceFor } from '../src/data-source.js';
import { RowSink } from '../src/rows/row-sink.js';
import { addRowsOf } from '../src/rows/rows-of.js';
import { AuditDatabases, PASSWORDS, runAs } from './audit-database.js';
import { rebuilt } from './rebuilt.js';
import { Tale, plan } from './messages.js';
import { evaluated, inline, outcomesOf, proposed, started } from './plan-facts.js';

const plans = Number(process.argv[2] ?? 10_000);
const BATCH = 2_000;
const ITEMS = ['i1', 'i2', 'i3'];

const tale = new Tale();
for (let number = 0; number < plans; number += 1) {
  const key = plan(`t${number % 7}`, number, `sabcdefg${String(number % 500).padStart(4, '0')}`);
  tale.tell(key, proposed(ITEMS, { description: 'Writes a file in the folder', input: inline({ path: `/notes/${number}.txt`, content: 'a line of text\n'.repeat(4) }) }));
  tale.tell(key, evaluated({ i1: 'allow', i2: 'allow', i3: 'allow' }));
  tale.tell(key, started(ITEMS));
  tale.tell(key, outcomesOf(ITEMS));
}
const events = tale.messages.length;
const batches = Array.from({ length: Math.ceil(events / BATCH) }, (_, at) => tale.messages.slice(at * BATCH, (at + 1) * BATCH));
async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  console.log(`${what}: ${Math.round(events / took * 1_000)} events/s (${Math.round(took)} ms, of it ${Math.round((user + system) / 1_000)} ms CPU in this process)`);
}

const databases = await AuditDatabases.start();
try {
  const [bare, projecting] = [await databases.create(), await databases.create()];
  console.log(`${plans} plans of 3 items, ${events} events, batches of ${BATCH}`);

  const texts: { readonly all: RowSink }[] = [];
  await timed('rows in JavaScript alone', async () => {
    for (const batch of batches) {
      const all = new RowSink();
      for (const message of batch) addRowsOf(message, all);
      texts.push({ all });
    }
  });
  const source = dataSourceFor(bare.urls.projector, { poolSize: 1, applicationName: 'bench' });
  await source.initialize();
  await source.query(`SELECT audit.ensure_month('2026-03-01')`);
  await timed('bare COPY', async () => {
    for (const { all } of texts) await inTransaction(source, async (runner) => { for (const { table, text } of all.copies()) await copyIn(runner, '"audit"', table, text); });
  });
  await source.destroy();

  const store = await openAuditStore({ url: projecting.adminUrl, passwords: PASSWORDS });
  await timed('project()', async () => { for (const batch of batches) await store.project(batch); });
  const rebuilder = dataSourceFor(projecting.urls.rebuilder, { poolSize: 1, applicationName: 'bench' });
  await rebuilder.initialize();
  await timed('digest of the tables', () => digestTables(rebuilder, '"audit"'));
  await rebuilder.destroy();
  await timed('rebuild, digests and all', async () => {
    const report = await rebuilt(store, tale.source.bind(tale));
    if (!report.identical) throw new Error('not identical');
  });
  await runAs(projecting.adminUrl, 'ANALYZE');
  for (const [what, query] of [['a page of items', {}], ['a page of denied items, of which there are none', { decision: 'deny', limit: 50 }], ['a page by operation', { provider: 'files', operation: 'write_file' }]] as const) {
    const began = performance.now();
    for (let at = 0; at < 5; at += 1) await store.queryItems('t1', query);
    console.log(`${what}: ${((performance.now() - began) / 5).toFixed(1)} ms`);
  }
  console.log(`streams: ${LOG_STREAMS.join(', ')}; ${(await runAs<{ version: string }>(projecting.adminUrl, 'SELECT version()'))[0]!.version}; fsync on`);
  await store.close();
} finally {
  await databases.stop();
}
