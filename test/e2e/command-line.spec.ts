import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanView } from '@countersign/contracts/http';
import { newStateFolder, startGate, type Finished, type RunningGate } from './support/commands.js';

/** What authors, approvers and admins do, typed as they type it. */
describe('the command line', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;

  beforeAll(async () => {
    state = await newStateFolder();
    gate = await startGate(state.folder);
    await gate.admin.registerProvider({ name: 'notes', endpoint: { transport: 'fake', behaviour: 'previewable=no' } });
  }, 120_000);
  afterAll(async () => {
    await gate?.stop();
    await state.remove();
  }, 60_000);

  const said = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await gate.cli(...args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const refused = async (...args: string[]): Promise<Finished> => {
    const ended = await gate.cli(...args);
    expect(ended.code).toBe(1);
    return ended;
  };
  const rules = async (name: string, text: string): Promise<string> => {
    await writeFile(join(state.folder, name), text);
    return join(state.folder, name);
  };
  const asked = async (text = 'a text'): Promise<PlanView> => {
    const { sessionId } = await gate.agent.openSession({ agent: 'cli' });
    return gate.agent.propose(sessionId, { items: [{ callId: 'c1', provider: 'notes', operation: 'write_note', input: { name: 'n', text } }] }, { wait: 30, until: 'verdict' });
  };

  it('an author puts rules in force, looks at them, tries others, and goes back', async () => {
    const first = await rules('first.yaml', 'rules:\n  - { id: notes, match: { tool_name: write_note }, action: ask }\n');
    const second = await rules('second.yaml', 'rules:\n  - { id: notes, match: { tool_name: write_note }, action: deny, message: Not today }\n');
    expect(await said('policy', 'push', first)).toContain('version 1 is in force');
    expect(await said('policy', 'activate', second)).toContain('version 2 is in force');
    expect(await said('policy', 'diff', '1', '2')).toContain('Not today');
    expect(await said('policy', 'simulate', 'notes', 'write_note', '--input', '{"text":"x"}')).toContain('deny by policy:notes');
    expect(await said('policy', 'rollback')).toContain('version 3 is in force');
    expect(await said('policy', 'history')).toMatch(/version 3 .*back to 1/);
    expect(await said('policy', 'shadow', second)).toContain('The shadow bundle is');
    expect(await said('policy', 'shadow', '--none')).toContain('no shadow');
    expect(await said('policy', 'keep', '--guardrails', second)).toContain('kept, digest');
    const bad = await rules('bad.yaml', 'rules:\n  - { id: a, match: {}, action: maybe }\n');
    expect((await refused('policy', 'push', bad)).stderr).toContain('POLICY_INVALID');
  }, 120_000);

  it('an approver finds what waits, corrects it, and answers for always; an admin takes that back', async () => {
    const plan = await asked();
    for (let list = ''; !list.includes(plan.planId);) list = await said('approvals', 'list', '--provider', 'notes');
    expect(await said('policy', 'explain', plan.planId, 'i1')).toContain('ask by policy:notes');
    expect(await said('plan', 'correct', plan.planId, 'i1', '--input', '{"name":"n","text":"a better text"}', '--no-confirm', '--reason', 'say it better')).toMatch(/corrected by .*say it better/);
    const narrowed = await said('plan', 'approve', plan.planId, 'i1', '--reason', 'seen');
    expect(narrowed).toContain('allow');
    const other = await asked('another text');
    const question = await refused('plan', 'approve', other.planId, 'i1', '--scope', 'session');
    expect(question.stderr).toContain('every write_note of notes in this session');
    const granted = await said('plan', 'approve', other.planId, 'i1', '--scope', 'always', '--narrow', 'exact', '--until', '7d', '--yes');
    const grant = /granted as (g[0-9a-f]+)/.exec(granted)![1]!;
    expect(await said('grants', 'list')).toContain(grant);
    expect((await asked('another text')).items[0]).toMatchObject({ decision: 'allow', decidedBy: `standing:${grant}` });
    expect(await said('grants', 'show', grant)).toContain('active');
    expect(await said('grants', 'revoke', grant, '--reason', 'enough')).toContain('is revoked');
    expect((await asked('another text')).items[0]).toMatchObject({ decision: 'ask' });
    expect((await refused('plan', 'approve', other.planId, 'i1', '--narrow', 'somewhere', '--scope', 'always', '--yes')).stderr).toContain('A condition is');
  }, 120_000);

  it('an admin freezes, sets, and says whom to tell and ask', async () => {
    const frozen = await said('freeze', '--reason', 'incident', '--provider', 'notes');
    const id = /frozen as (\S+);/.exec(frozen)![1]!;
    expect(await said('freezes')).toContain('incident');
    expect((await asked()).items[0]!.decidedBy).toMatch(/^freeze:/);
    await said('unfreeze', id);
    expect(await said('freezes')).toContain('Nothing is frozen');
    const settings = await rules('settings.json', (await said('settings', 'show')).replace('"standingGrants": true', '"standingGrants": false'));
    await said('settings', 'set', settings);
    expect(await said('settings', 'show')).toContain('"standingGrants": false');
    expect(await said('webhooks', 'add', 'chat', 'http://127.0.0.1:9/', '--format', 'slack', '--events', 'asked')).toContain('whsec_');
    expect(await said('webhooks', 'list')).toMatch(/chat +slack +asked/);
    await said('webhooks', 'remove', 'chat');
    expect(await said('subscribers', 'add', 'dlp', 'http://127.0.0.1:9/', '--deadline-ms', '100')).toContain('whsec_');
    expect((await asked()).items[0]).toMatchObject({ decision: 'deny', decidedBy: 'veto:dlp' });
    await said('subscribers', 'remove', 'dlp');
    expect(await said('subscribers', 'list')).toContain('There are none');
  }, 120_000);
});
