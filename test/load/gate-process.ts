import { startGate } from '@countersign/app-standalone';

/** The gate under load, in a process of its own; told by its parent over IPC, and ended by it. */
const [folder, sync, topology] = process.argv.slice(2) as [string, 'always' | 'default', 'one' | 'processes'];
const gate = await startGate({
  folder,
  processes: topology === 'processes',
  progress: { say: () => undefined, step: (_, work) => work() },
  env: { ...process.env, PORT: '0' },
  syncAlways: sync === 'always',
});
const stop = (): void => void gate.stop().then(() => process.exit(0));
process.on('disconnect', stop);
process.on('message', stop);
process.send?.({ state: gate.state, natsUrl: gate.servers.nats.url, natsPid: gate.servers.nats.pid, databaseUrl: gate.servers.database.url });
