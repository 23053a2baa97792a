import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
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
    await nc.request('s.1', 'x', { timeout: 10_000 });
    expect((await streams.info('S')).state.messages).toBe(1);
    await cluster.servers[2]!.restart();
    await cluster.settled();
    expect((await streams.info('S')).cluster?.replicas).toHaveLength(2);
    await nc.close();
  } finally {
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  }
}, 120_000);
