import { newStateFolder, startGate, type RunningGate } from './support/commands.js';

/** ARCHITECTURE "The log": one transition, one message; at most five appends in the life of a plan without people. */
describe('appends in the life of a plan that nobody is asked about', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;

  beforeAll(async () => {
    state = await newStateFolder();
    gate = await startGate(state.folder);
    await gate.admin.registerProvider({ name: 'notes', endpoint: { transport: 'fake', behaviour: 'safe' } });
    await gate.admin.registerProvider({ name: 'blind', endpoint: { transport: 'fake', behaviour: 'safe&previewable=no' } });
    await gate.admin.activatePolicy({ rules: [{ id: 'all', match: {}, action: 'allow' }] });
  }, 120_000);
  afterAll(async () => {
    await gate.stop();
    await state.remove();
  }, 30_000);

  const typesOf = async (provider: string): Promise<string[]> => {
    const session = await gate.agent.openSession({ agent: 'counter' });
    const items = [1, 2, 3].map((call) => ({ callId: `c${call}`, provider, operation: 'write_note', input: { name: `n${call}`, text: 't' } }));
    const plan = await gate.agent.propose(session.sessionId, { items }, { wait: 30, until: 'settled' });
    expect(plan.items.map((item) => item.outcome)).toEqual(['applied', 'applied', 'applied']);
    return (await gate.agent.planEvents(plan.planId)).events.map((event) => event.type);
  };

  it('is five with previews', async () => {
    expect(await typesOf('notes')).toEqual(['plan.Proposed', 'plan.Previewed', 'plan.Evaluated', 'plan.ApplyStarted', 'plan.Outcomes']);
  }, 60_000);

  it('is four without', async () => {
    expect(await typesOf('blind')).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ApplyStarted', 'plan.Outcomes']);
  }, 60_000);
});
