import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@countersign/contracts';
import type { PlanView } from '@countersign/contracts/http';
import { newStateFolder, startGate, type RunningGate } from './support/commands.js';
import { fsck } from './support/fsck.js';

/** Every service as a process of its own; each is killed in mid-plan, and the plan must finish once after it is back. */
describe('a service that is killed in mid-plan', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  let effects: string;

  beforeAll(async () => {
    state = await newStateFolder();
    effects = join(state.folder, 'effects');
    await mkdir(effects);
    gate = await startGate(state.folder, ['--no-demo', '--processes'], { COUNTERSIGN_FAKE_EFFECTS: effects });
    const behaviour = 'effects=all.jsonl&reconcilable&slow=300&preview-slow=300';
    await gate.admin.registerProvider({ name: 'notes', endpoint: { transport: 'fake', behaviour } });
    await gate.admin.activatePolicy({ rules: [
      { id: 'writes', match: { tool_name: 'write_note' }, action: 'allow' },
      { id: 'overwrites', match: { tool_name: 'overwrite_note' }, action: 'ask' },
      { id: 'noops', match: { tool_name: 'noop' }, action: 'deny' },
    ] });
  }, 120_000);
  afterAll(async () => {
    await gate.stop();
    await state.remove();
  }, 60_000);

  const pidOf = (service: ServiceName): number => {
    const said = [...gate.progress().matchAll(new RegExp(`^${service} is back, process (\\d+)`, 'gm'))].at(-1)?.[1]
      ?? new RegExp(`\\b${service}=(\\d+)`).exec(gate.ready())?.[1];
    return Number(said);
  };

  const proposeMixed = (session: string, name: string): Promise<PlanView> => gate.agent.propose(session, { items: [
    { callId: 'write', provider: 'notes', operation: 'write_note', input: { name: `${name}-written`, text: 't' } },
    { callId: 'ask', provider: 'notes', operation: 'overwrite_note', input: { name: `${name}-asked`, text: 't' } },
    { callId: 'deny', provider: 'notes', operation: 'noop', input: { n: 1 } },
  ] }, { idempotencyKey: name });

  /** The gateway may be the one that is down: what can be repeated safely is repeated until it is back. */
  const untilAnswered = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        if (tries > 40) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  };

  it.each<ServiceName>(['gateway', 'planner', 'preview-fanout', 'policy', 'executor', 'audit'])('%s', async (service) => {
    const session = await gate.agent.openSession({ agent: `kill-${service}` });
    const proposed = await proposeMixed(session.sessionId, service);
    const back = gate.says(`${service} is back`);
    process.kill(pidOf(service), 'SIGKILL');
    await back;

    const asked = await untilAnswered(async () => {
      const plan = await gate.agent.plan(proposed.planId, { wait: 30, until: 'verdict' });
      if (plan.items.some((item) => item.decision === 'pending')) throw new Error('not judged yet');
      return plan;
    });
    const item = asked.items[1]!;
    expect(item.decision).toBe('ask');
    await untilAnswered(() => gate.admin.decide(asked.planId, item.itemId, { decision: 'approve', itemDigest: item.itemDigest! }));
    const settled = await untilAnswered(async () => {
      const plan = await gate.agent.plan(proposed.planId, { wait: 30, until: 'settled' });
      if (plan.status !== 'settled') throw new Error('not settled yet');
      return plan;
    });
    expect(settled.items.map((one) => one.outcome)).toEqual(['applied', 'applied', 'denied']);
  }, 180_000);

  it('leaves a log and a database that agree, and every effect once', async () => {
    const lines = (await readFile(join(effects, 'all.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as { key: string });
    expect(lines.map((line) => line.key)).toHaveLength(new Set(lines.map((line) => line.key)).size);
    expect(lines).toHaveLength(12);
    expect(await fsck(gate.admin)).toEqual({ plans: 6, problems: [] });
  }, 120_000);
});
