import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@countersign/contracts';
import type { PlanView, ProposeRequest } from '@countersign/contracts/http';
import { newStateFolder, startGate, type RunningGate } from './support/commands.js';
import { notesIn, untilNoted } from './support/effects.js';
import { fsck } from './support/fsck.js';
import { SessionLog } from './support/session-log.js';
import { untilAnswered, untilPlan } from './support/until.js';

interface Killed {
  readonly service: ServiceName;
  /** What is durable when it is killed. */
  readonly after: string;
  /** What it has not appended by then: it must be written after the kill. */
  readonly before?: string;
  /** Killed once its effect is there, not before. */
  readonly noted?: boolean;
  readonly provider?: string;
  readonly outcome?: 'applied' | 'indeterminate';
  /** Why there is no preview; there is one where nothing is said. */
  readonly absent?: 'fanout_unavailable';
}

const CASES: readonly Killed[] = [
  { service: 'gateway', after: 'plan.Proposed', before: 'plan.Evaluated' },
  { service: 'planner', after: 'plan.Proposed', before: 'plan.Evaluated' },
  { service: 'planner', after: 'plan.ItemsAnswered' },
  { service: 'preview-fanout', after: 'plan.Proposed', before: 'plan.Evaluated', absent: 'fanout_unavailable' }, // its message comes again after the previews were due
  { service: 'policy', after: 'plan.Proposed', before: 'plan.Evaluated' },
  { service: 'executor', after: 'plan.ApplyStarted', before: 'plan.Outcomes' },
  { service: 'executor', after: 'plan.ApplyStarted', before: 'plan.Outcomes', noted: true },
  { service: 'executor', after: 'plan.ApplyStarted', before: 'plan.Outcomes', provider: 'blind', outcome: 'indeterminate' },
  { service: 'executor', after: 'plan.ApplyStarted', before: 'plan.Outcomes', provider: 'blind', outcome: 'indeterminate', noted: true },
  { service: 'audit', after: 'plan.Evaluated' },
];

/**
 * Every service as a process of its own; each is killed while its part of a plan is begun and not ended (that is shown
 * by the log's own times), and the plan must come to its end, each effect at most once, when it is back. Previews, calls
 * and the steps after planner's and before executor's appends are slowed down, so that there is a middle to be killed in.
 */
describe('a service that is killed in mid-plan', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  let effects: string;
  let log: SessionLog | undefined;

  beforeAll(async () => {
    state = await newStateFolder();
    effects = join(state.folder, 'effects');
    await mkdir(effects);
    gate = await startGate(state.folder, ['--no-demo', '--processes'], {
      COUNTERSIGN_FAKE_EFFECTS: effects,
      COUNTERSIGN_FAULTS: 'planner.after-append=delay:1000,executor.before-outcome=delay:1500',
    });
    const slow = 'preview-slow=2000&slow=1500';
    await gate.admin.registerProvider({ name: 'notes', endpoint: { transport: 'fake', behaviour: `effects=notes.jsonl&reconcilable&idempotent&${slow}` } });
    await gate.admin.registerProvider({ name: 'blind', endpoint: { transport: 'fake', behaviour: `effects=blind.jsonl&${slow}` } });
    await gate.admin.activatePolicy({ rules: [
      { id: 'writes', match: { tool_name: 'write_note' }, action: 'allow' },
      { id: 'overwrites', match: { tool_name: 'overwrite_note' }, action: 'ask' },
      { id: 'not-here', match: { tool_name: 'overwrite_note', provider: 'blind' }, action: 'deny' },
    ] });
  }, 120_000);
  afterEach(() => log?.close());
  afterAll(async () => {
    await gate?.stop();
    await state.remove();
  }, 60_000);

  const pidOf = (service: ServiceName): number => {
    const said = [...gate.progress().matchAll(new RegExp(`^${service} is back, process (\\d+)`, 'gm'))].at(-1)?.[1]
      ?? new RegExp(`\\b${service}=(\\d+)`).exec(gate.ready())?.[1];
    return Number(said);
  };

  it.each(CASES.map((one) => ({ ...one, provider: one.provider ?? 'notes', outcome: one.outcome ?? 'applied', when: one.noted ? ' and its effect' : '' })))(
    '$service, after $after$when, with provider $provider: $outcome',
    async ({ service, after, before, noted, provider, outcome, absent }) => {
      const name = `${service}-${after.slice(5).toLowerCase()}-${provider}${noted ? '-noted' : ''}`;
      const { sessionId } = await gate.agent.openSession({ agent: name });
      log = new SessionLog(gate.agent, sessionId);
      const proposing = untilAnswered(() => gate.agent.propose(sessionId, callsOf(name, provider), { idempotencyKey: name }));
      const answering = answerWhenAsked(log, proposing);

      await log.first(after);
      if (noted) await untilNoted(join(effects, `${provider}.jsonl`), `${name}-written`);
      const back = gate.says(`${service} is back`);
      const killedAt = Date.now();
      process.kill(pidOf(service), 'SIGKILL');
      await back;

      const { planId } = await proposing;
      await answering;
      const settled = await untilPlan(gate.agent, planId, 'settled');
      expect(settled.items.map((item) => item.outcome)).toEqual([outcome, 'applied', 'denied']);
      expect(settled.items.map((item) => item.previewAbsent)).toEqual([absent, absent, absent]);
      const { events } = await gate.agent.planEvents(planId);
      const left = before ? events.filter((event) => event.type === before) : [];
      expect(left.filter((event) => Date.parse(event.time) <= killedAt)).toEqual([]);
      expect(left.length > 0).toBe(before !== undefined);
      const times = notesIn(join(effects, `${provider}.jsonl`)).filter((note) => note === `${name}-written`).length;
      expect(times).toBe(outcome === 'applied' || noted ? 1 : 0);
    }, 180_000);

  /** The person's answer, given as soon as it is asked for. It is repeated when planner or gateway die over it. */
  const answerWhenAsked = async (log: SessionLog, proposing: Promise<PlanView>): Promise<void> => {
    await log.first('plan.Evaluated');
    const { planId } = await proposing;
    const item = (await untilPlan(gate.admin, planId, 'verdict')).items[1]!;
    expect(item.decision).toBe('ask');
    const answered = await untilAnswered(() => gate.admin.decide(planId, item.itemId, { decision: 'approve', itemDigest: item.itemDigest! }));
    expect(answered.items[1]).toMatchObject({ decision: 'allow', decidedBy: expect.stringMatching(/^person:/) as string });
  };

  it('leaves a log and a database that agree, and every effect at most once', async () => {
    for (const provider of ['notes', 'blind']) {
      const notes = notesIn(join(effects, `${provider}.jsonl`));
      expect(notes).toEqual([...new Set(notes)]);
    }
    expect(await fsck(gate.admin, gate.operator)).toEqual({ plans: CASES.length, problems: [] });
  }, 120_000);
});

/** One that is allowed, one that is asked, and one that is denied; all of them have previews. */
const callsOf = (name: string, provider: string): ProposeRequest => ({ items: [
  { callId: 'allowed', provider, operation: 'write_note', input: { name: `${name}-written`, text: 't' } },
  { callId: 'asked', provider: 'notes', operation: 'overwrite_note', input: { name: `${name}-asked`, text: 't' } },
  { callId: 'denied', provider: 'blind', operation: 'overwrite_note', input: { name: `${name}-denied`, text: 't' } },
] });
