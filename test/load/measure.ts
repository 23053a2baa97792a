import { join } from 'node:path';
import { obtainNatsServer, startNats } from '@countersign/embedded';
import { atLeast, atLeastShare, atMost, atMostTimes, figure, percentile, type Figure } from './figures.js';
import { startGateUnderLoad, type GateUnderLoad } from './gate.js';
import { atRate, saturated } from './http-load.js';
import { auditLag, untilAuditHasAll } from './audit-lag.js';
import { rebuildSpeed } from './audit-rebuild.js';
import { policyFigures } from './policy.js';
import { databaseVersion } from './inventory.js';
import { prefill } from './prefill.js';
import { startSeconds } from './start-time.js';
import { approve, prepare, propose, proposeAsked } from './workload.js';
import { twoHopPipeline } from './yardstick.js';

export interface BenchOptions {
  readonly folder: string;
  /** Seconds instead of minutes, on a short log: shows that everything can be measured, not how fast it is. */
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

type Figures = Record<string, Figure>;
interface Bare { readonly p50: number; readonly p99: number; readonly perSecond: number }

const RATE = 100;
const PARALLEL = 96;
const OLD_PLANS_PER_SECOND = 20;
/** Of the events that fill the log, those that are there when the rebuild is measured. */
const REBUILT_EVENTS = 100_000;
/** Of what was reached saturated: where the audit must still keep up. */
const BUSY_SHARE = 0.7;

export async function measureEverything(options: BenchOptions): Promise<Figures> {
  const seconds = options.quick ? 3 : 15;
  const figures: Figures = policyFigures(options.quick);
  const bare = { always: await bareFigures(options, 'always', seconds), default: await bareFigures(options, 'default', seconds) };
  figures['npm start to ready, empty state'] = figure(await startSeconds(join(options.folder, 'started')), 's', atMost(10));
  await onShortLog(options, figures, bare.always, seconds);
  await fillTheLog(options, figures);
  await onLongLog(options, figures, bare, seconds);
  return figures;
}

async function bareFigures({ folder, say }: BenchOptions, sync: 'always' | 'default', seconds: number): Promise<Bare> {
  say(`yardstick: a bare two-hop JetStream pipeline, sync ${sync} …`);
  const nats = await startNats({ binary: await obtainNatsServer(), dir: join(folder, `yardstick-${sync}`), syncAlways: sync === 'always' });
  const pipeline = await twoHopPipeline(nats.url);
  try {
    await pipeline.latencies(RATE, 1);
    const latencies = await pipeline.latencies(RATE, seconds);
    return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), perSecond: await pipeline.perSecond(PARALLEL, seconds) };
  } finally {
    await pipeline.close();
    await nats.stop();
  }
}

/** The state that all phases share. */
const stateOf = (options: BenchOptions): string => join(options.folder, 'state');

async function withGate<T>(options: BenchOptions, sync: 'always' | 'default', topology: 'one' | 'processes', work: (gate: GateUnderLoad) => Promise<T>): Promise<T> {
  const gate = await startGateUnderLoad({ folder: stateOf(options), sync, topology });
  try {
    return await work(gate);
  } finally {
    await gate.stop();
  }
}

async function onShortLog(options: BenchOptions, figures: Figures, bare: Bare, seconds: number): Promise<void> {
  await withGate(options, 'always', 'one', async (gate) => {
    options.say(await databaseVersion(gate.databaseUrl));
    options.say('short log, sync always: propose → verdict …');
    const sessions = await prepare(gate);
    await atRate(RATE, 2, (index) => propose(gate, sessions, index, 'verdict'));
    await latency(figures, 'verdict latency, short log', bare, await atRate(RATE, seconds, (index) => propose(gate, sessions, index, 'verdict')));
  });
}

async function fillTheLog(options: BenchOptions, figures: Figures): Promise<void> {
  const events = options.quick ? 20_000 : 1_000_000;
  await withGate(options, 'default', 'one', async (gate) => {
    options.say(`filling the log with ${events} events …`);
    const first = Math.min(events, REBUILT_EVENTS);
    const started = performance.now();
    await prefill(gate.natsUrl, stateOf(options), 0, first);
    await untilAuditHasAll(gate, options.say);
    figures['audit projects a backlog'] = figure((first * 1_000) / (performance.now() - started), 'events/s', atLeast(10_000));
    options.say('rebuilding the audit …');
    const { rebuilt, copied } = await rebuildSpeed(gate);
    figures['audit rebuild, digests and all'] = figure(rebuilt, 'events/s', { text: '≥ 10000 and ≥ 50 % of a bare COPY', met: (value, ratio) => value >= 10_000 && ratio !== null && ratio >= 0.5 }, copied);
    if (first < events) figures['log filled'] = figure(await prefill(gate.natsUrl, stateOf(options), first, events), 'events/s', undefined);
    await untilAuditHasAll(gate, options.say);
  });
}

async function onLongLog(options: BenchOptions, figures: Figures, bare: Record<'always' | 'default', Bare>, seconds: number): Promise<void> {
  await withGate(options, 'always', 'one', (gate) => whileOldPlansAreAnswered(gate, options, async (sessions) => {
    options.say('long log, answers coming in, sync always, one process …');
    const lag = auditLag(gate);
    await latency(figures, 'verdict latency', bare.always, await atRate(RATE, seconds, (index) => propose(gate, sessions, index, 'verdict')));
    figures[`audit lag at ${RATE} plans/s, worst`] = figure(await lag.worstMs(), 'ms', atMost(250));
    // asked, so that nothing is applied beside the verdicts
    const verdicts = await saturated(PARALLEL, seconds, (index) => proposeAsked(gate, sessions, index));
    figures['verdicts, saturated, sync always'] = figure(verdicts.perSecond, 'plans/s', atLeastShare(0.5), bare.always.perSecond);
    await life(figures, 'always', gate, sessions, seconds, bare.always, 450);
    figures['memory of the services, saturated'] = figure(gate.memoryMiB(), 'MiB', atMost(350));
  }));
  await withGate(options, 'default', 'one', (gate) => whileOldPlansAreAnswered(gate, options, async (sessions) => {
    options.say('long log, answers coming in, sync default, one process …');
    const perSecond = await life(figures, 'default', gate, sessions, seconds, bare.default, 800);
    await untilAuditHasAll(gate, options.say);
    const lag = auditLag(gate);
    await atRate(BUSY_SHARE * perSecond, seconds, (index) => propose(gate, sessions, index, 'settled'));
    figures[`audit lag at ${BUSY_SHARE * 100} % of saturation, worst`] = figure(await lag.worstMs(), 'ms', atMost(2_000));
  }));
  await withGate(options, 'default', 'processes', (gate) => whileOldPlansAreAnswered(gate, options, async (sessions) => {
    options.say('long log, answers coming in, sync default, a process a service …');
    await life(figures, 'default, a process a service', gate, sessions, seconds, bare.default, 1_000);
  }));
}

async function latency(figures: Figures, name: string, bare: Bare, answers: readonly { readonly ms: number }[]): Promise<void> {
  const sample = answers.map((answer) => answer.ms);
  figures[`${name}, p50 at ${RATE} plans/s, sync always`] = figure(percentile(sample, 0.5), 'ms', atMostTimes(3, 5), bare.p50);
  figures[`${name}, p99 at ${RATE} plans/s, sync always`] = figure(percentile(sample, 0.99), 'ms', atMost(15), bare.p99);
}

/** @returns plans a second */
async function life(figures: Figures, how: string, gate: GateUnderLoad, sessions: readonly string[], seconds: number, bare: Bare, goal: number): Promise<number> {
  const plans = await saturated(PARALLEL, seconds, (index) => propose(gate, sessions, index, 'settled'));
  figures[`whole life, saturated, sync ${how}`] = figure(plans.perSecond, 'plans/s', atLeast(goal), bare.perSecond);
  return plans.perSecond;
}

/** Plans that were asked before the load began are answered all through it. */
async function whileOldPlansAreAnswered(gate: GateUnderLoad, options: BenchOptions, work: (sessions: readonly string[]) => Promise<void>): Promise<void> {
  const sessions = await prepare(gate);
  const count = options.quick ? 60 : 400;
  const old = await Promise.all(Array.from({ length: count }, (_, index) => proposeAsked(gate, sessions, index)));
  let over = false;
  const answering = (async () => {
    const answers = old.flatMap((plan) => [0, 1, 2].map((item) => ({ plan, item })));
    for (let index = 0; index < answers.length && !over; index += OLD_PLANS_PER_SECOND) {
      await atRate(OLD_PLANS_PER_SECOND, 1, (offset) => {
        const answer = answers[index + offset];
        return answer ? approve(gate, answer.plan, answer.item) : Promise.resolve(0);
      });
    }
  })();
  try {
    await work(sessions);
  } finally {
    over = true;
    await answering;
  }
}
