import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { startNatsCluster } from './nats-cluster.js';
import { obtainNatsServer } from './obtain-nats.js';

it('forms a cluster that keeps serving without one of its three servers, and takes it back', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'cluster-'));
  const cluster = await startNatsCluster({ binary: await obtainNatsServer(), dir, syncAlways: false });
  try {
    const nc = await connect({ servers: [...cluster.urls] });
    const streams = (await jetstreamManager(nc)).streams;
    await streams.add({ name: 'S', subjects: ['s.>'], num_replicas: 3 });
    await cluster.servers[2]!.kill();
    await cluster.settled();
    await stored(nc, 's.1');
    expect((await streams.info('S')).state.messages).toBeGreaterThan(0);
    await cluster.servers[2]!.restart();
    await cluster.settled();
    expect((await streams.info('S')).cluster?.replicas).toHaveLength(2);
    await nc.close();
  } finally {
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  }
}, 120_000);

/** Until the stream has a leader again, a publish finds nobody or gets no answer. */
async function stored(nc: NatsConnection, subject: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ;) {
    try {
      const { seq } = (await nc.request(subject, 'x', { timeout: 2_000 })).json<{ seq?: number }>();
      if (seq) return;
      throw new Error('refused');
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
