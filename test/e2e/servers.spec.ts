import { join } from 'node:path';
import { startGate, type Gate } from '@countersign/app-standalone';
import { freePorts, startPostgres, type PostgresServer } from '@countersign/embedded';
import { CountersignClient } from '@countersign/sdk';
import { newStateFolder } from './support/commands.js';
import { fsck } from './support/fsck.js';
import { SessionLog } from './support/session-log.js';
import { untilAnswered, untilPlan } from './support/until.js';

const quiet = { say: () => undefined, step: <T>(_: string, work: () => Promise<T>): Promise<T> => work() };

/** The broker and the database die as a crash has it, while an effect is under way; both come back as they were left. */
describe('a server that is killed in mid-plan', () => {
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  let postgres: PostgresServer;
  let port: number;
  let gate: Gate;
  let admin: CountersignClient;
  let operator: CountersignClient;
  let agent: CountersignClient;
  const startDatabase = () => startPostgres({ dir: join(state.folder, 'database'), port });

  beforeAll(async () => {
    process.env['COUNTERSIGN_LOG'] = 'silent'; // what it says of servers that are away is expected here
    state = await newStateFolder();
    [port] = (await freePorts(1)) as [number];
    postgres = await startDatabase();
    gate = await startGate({ folder: state.folder, processes: false, progress: quiet, env: { ...process.env, PORT: '0', DATABASE_URL: postgres.url } });
    admin = new CountersignClient({ url: gate.state.url, apiKey: gate.state.key });
    operator = new CountersignClient({ url: gate.state.url, apiKey: gate.state.operatorKey });
    agent = new CountersignClient({ url: gate.state.url, apiKey: gate.state.demo.agentKey });
    await admin.registerProvider({ name: 'notes', endpoint: { transport: 'fake', behaviour: 'reconcilable&idempotent&slow=1500' } });
    await admin.activatePolicy({ rules: [{ id: 'all', match: {}, action: 'allow' }] });
  }, 120_000);
  afterAll(async () => {
    await gate?.stop();
    await postgres?.stop();
    await state.remove();
  }, 60_000);

  /** Proposes, and comes back when the call is under way. */
  const underWay = async (name: string) => {
    const { sessionId } = await agent.openSession({ agent: name });
    const log = new SessionLog(agent, sessionId);
    const proposing = untilAnswered(() => agent.propose(sessionId, { items: [
      { callId: 'c', provider: 'notes', operation: 'write_note', input: { name, text: 't' } },
    ] }, { idempotencyKey: name }));
    await log.first('plan.ApplyStarted');
    const { planId } = await proposing;
    log.close();
    return planId;
  };
  const outcomeOf = async (planId: string) => (await untilPlan(agent, planId, 'settled')).items.map((item) => item.outcome);

  it('nats-server: the plan ends, and what was acknowledged is there', async () => {
    const planId = await underWay('broker');
    const killedAt = Date.now();
    await gate.servers.nats.kill();
    await gate.servers.nats.restart();
    expect(await outcomeOf(planId)).toEqual(['applied']);
    const { events } = await agent.planEvents(planId);
    expect(events.map((event) => event.type)).toEqual(['plan.Proposed', 'plan.Previewed', 'plan.Evaluated', 'plan.ApplyStarted', 'plan.Outcomes']);
    expect(Date.parse(events.at(-1)!.time)).toBeGreaterThan(killedAt);
  }, 120_000);

  it('postgres: the gate does not wait for it, and the audit has everything once it is back', async () => {
    const planId = await underWay('database');
    await postgres.kill();
    expect(await outcomeOf(planId)).toEqual(['applied']);
    expect(await outcomeOf(await underWay('while-away'))).toEqual(['applied']);
    postgres = await startDatabase();
  }, 120_000);

  it('leave a log and a database that agree', async () => {
    expect(await untilAnswered(() => fsck(admin, operator))).toEqual({ plans: 3, problems: [] });
  }, 120_000);
});
