import { statSync } from 'node:fs';
import { localStatePath } from '@countersign/app-cli';
import { newStateFolder, run, startGate } from './support/commands.js';

const idsIn = (text: string): string[] => [...text.matchAll(/countersign plan show (\S+)/g)].map((match) => match[1]!);

describe('the main job, from the two commands on', () => {
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  beforeAll(async () => { state = await newStateFolder(); });
  afterAll(() => state.remove());

  it('npm start on an empty state shows it once by itself, with verdicts, diff and outcome', async () => {
    const { code, stdout, stderr } = await run('start', ['--once'], { COUNTERSIGN_STATE: state.folder, PORT: '0' });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of [
      'decision  allow  by policy:default', 'by person:demo-operator', '+- 1.5.0: three replicas by default', 'outcome   applied',
      'decision  deny  by person:demo-operator', 'was denied by person:demo-operator and did not run',
      'checked on disk: update-notes has changed its file', 'checked on disk: empty-notes (denied) has not touched its file',
    ]) expect(stdout).toContain(part);
  }, 120_000);

  it('serves again on the same data, runs the demo from the command line, shows, replays and proves it', async () => {
    const gate = await startGate(state.folder, []);
    try {
      expect(statSync(localStatePath(state.folder)).mode & 0o777).toBe(0o600);
      const demo = await gate.cli('demo', '--yes');
      expect(demo.code).toBe(0);
      const [planId] = idsIn(demo.stdout);
      expect(planId).toBeDefined();

      const shown = await gate.cli('plan', 'show', planId!);
      expect(shown.stdout).toContain('+- 1.5.0: three replicas by default');
      expect(shown.stdout).toContain('settled');

      const replayed = await gate.cli('plan', 'replay', planId!, '--all');
      const types = [...replayed.stdout.matchAll(/^#\d+ (plan\.\w+)/gm)].map((match) => match[1]);
      expect(types[0]).toBe('plan.Proposed');
      expect(types).toEqual(expect.arrayContaining(['plan.Previewed', 'plan.Evaluated', 'plan.ItemsAnswered', 'plan.ApplyStarted', 'plan.Outcomes']));

      const proof = await gate.cli('audit', 'rebuild', '--verify');
      expect(proof).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(rebuild (running|finished): \d+ of \d+ events\n)+$/) });
      expect(proof.stdout).toContain('identical up to');
      const asJson = await gate.cli('audit', 'rebuild', '--json');
      expect(JSON.parse(asJson.stdout)).toMatchObject({ identical: true, upTo: { GATE: expect.any(Number) } });
      expect(await gate.cli('audit', 'rebuild', '--key', gate.state.key)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('FORBIDDEN') });
      const plans = await gate.admin.auditPlans();
      expect(plans.rows.map((row) => row.planId)).toContain(planId);
      expect(plans.rows.length).toBeGreaterThanOrEqual(4);
    } finally {
      expect((await gate.stop()).code).toBe(0);
    }
  }, 120_000);

  it('says which process holds the state when it is started twice', async () => {
    const gate = await startGate(state.folder);
    try {
      const second = await run('start', ['--no-demo'], gate.env);
      expect(second.code).toBe(1);
      expect(second.stderr).toContain('A gate already runs on');
    } finally {
      await gate.stop();
    }
  }, 60_000);
});
