import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newStateFolder, startGate, type RunningGate } from './support/commands.js';
import { untilAnswered } from './support/until.js';

/** Nobody but the launcher watches its own servers: what crashes must come back by itself, and say so. */
describe('a server of npm start that crashes', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  beforeAll(async () => {
    state = await newStateFolder();
    gate = await startGate(state.folder);
  }, 120_000);
  afterAll(async () => {
    await gate?.stop();
    await state.remove();
  }, 60_000);

  const pidIn = async (...path: string[]): Promise<number> => Number((await readFile(join(state.folder, ...path), 'utf8')).split('\n')[0]);

  it('nats-server comes back, and the gate goes on', async () => {
    const back = gate.says('nats-server is back');
    process.kill(await pidIn('nats', 'nats.pid'), 'SIGKILL');
    await back;
    const session = await untilAnswered(() => gate.agent.openSession({ agent: 'after the crash' }, 'after-nats'));
    expect(session.status).toBe('open');
  }, 60_000);

  it('PostgreSQL comes back, and the audit goes on', async () => {
    const back = gate.says('PostgreSQL is back');
    process.kill(await pidIn('postgres', 'data', 'postmaster.pid'), 'SIGKILL');
    await back;
    const page = await untilAnswered(() => gate.admin.auditPlans());
    expect(page.rows).toEqual([]);
  }, 60_000);
});
