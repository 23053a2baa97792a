import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceName } from '@countersign/contracts';
import type { PlanView } from '@countersign/contracts/http';
import { apiOf, type Answer, type Api } from './support/api.js';
import { newStateFolder, startGate, type RunningGate } from './support/commands.js';
import { fsck } from './support/fsck.js';
import { SessionLog } from './support/session-log.js';

/**
 * Answers that are more than one fact (votes, corrections, grants) with every service as a process of its own, of which one is killed
 * between the facts. What was acknowledged must hold, and what was begun must be made good without anybody asking again.
 */
describe('a service that is killed between the facts of an answer', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  let agent: Api;
  let ann: Api;
  let ben: Api;
  let log: SessionLog;
  let hooks: Server;
  const told: string[] = [];
  let heard = (): void => {};

  beforeAll(async () => {
    state = await newStateFolder();
    gate = await startGate(state.folder, ['--no-demo', '--processes'], { COUNTERSIGN_FAULTS: 'planner.after-append=delay:700,policy.before-append=delay:300' });
    hooks = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => { told.push(chunk.toString()); heard(); }).on('end', () => response.end());
    });
    await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
    const admin = apiOf(gate, gate.state.key);
    agent = admin;
    const keyFor = async (principal: string): Promise<Api> => apiOf(gate, (await admin('POST', '/v1/keys', { principal, roles: ['approver'] })).body.key);
    ann = await keyFor('ann');
    ben = await keyFor('ben');
    await admin('POST', '/v1/providers', { name: 'notes', endpoint: { transport: 'fake', behaviour: 'previewable=no' } });
    await admin('POST', '/v1/policies', { rules: [{ id: 'two', match: { tool_name: 'overwrite_note' }, action: 'ask', ask: { quorum: 2 } }] });
    await admin('POST', '/v1/webhooks', { name: 'hook', url: `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/` });
  }, 120_000);
  afterEach(() => log?.close());
  afterAll(async () => {
    hooks?.close();
    await gate?.stop();
    await state.remove();
  }, 60_000);

  const kill = async (service: ServiceName): Promise<void> => {
    const again = [...gate.progress().matchAll(new RegExp(`^${service} is back, process (\\d+)`, 'gm'))].at(-1)?.[1];
    const back = gate.says(`${service} is back`);
    process.kill(Number(again ?? new RegExp(`\\b${service}=(\\d+)`).exec(gate.ready())?.[1]), 'SIGKILL');
    await back;
  };
  /** Repeated as a person would who is told that a part of the gate does not answer. */
  const insisting = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer && answer.status < 500) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const open = async (): Promise<string> => {
    const { sessionId } = (await agent('POST', '/v1/sessions', { agent: 'killed' })).body as { sessionId: string };
    log = new SessionLog(gate.agent, sessionId);
    return sessionId;
  };
  const propose = async (session: string, operation = 'write_note', text = 'a text'): Promise<PlanView> =>
    (await agent('POST', `/v1/sessions/${session}/plans?wait=30&until=verdict`, { items: [{ callId: 'c1', provider: 'notes', operation, input: { name: 'n', text } }] })).body as PlanView;
  const decide = (who: Api, { planId, items: [item] }: PlanView, more: object = {}): Promise<Answer> =>
    insisting(() => who('POST', `/v1/plans/${planId}/items/i1/decision`, { decision: 'approve', itemDigest: item!.itemDigest, ...more }));
  const settled = async ({ planId }: PlanView): Promise<PlanView> => (await insisting(() => agent('GET', `/v1/plans/${planId}?wait=30&until=settled`))).body as PlanView;

  it.each<[ServiceName, string]>([['planner', 'session'], ['planner', 'always'], ['policy', 'always']])('%s, when an answer for %s is durable and its grant is not: it comes into force', async (service, scope) => {
    const session = await open();
    const plan = await propose(session);
    const answering = decide(ann, plan, { scope });
    await log.first('plan.ItemsAnswered');
    await kill(service);
    const { body: { grantId } } = await answering;
    expect(grantId).toMatch(/^g/);
    expect((await settled(plan)).items[0]).toMatchObject({ outcome: 'applied' });
    const next = await propose(session, 'write_note', 'another text');
    expect(next.items[0]).toMatchObject({ decision: 'allow', decidedBy: scope === 'session' ? 'session:ann' : `standing:${grantId}` });
    if (scope === 'always') expect((await insisting(() => agent('POST', `/v1/grants/${grantId}/revoke`, {}))).status).toBe(200);
  }, 120_000);

  it.each<ServiceName>(['planner', 'policy'])('%s, when a correction is durable and not judged: it is judged, and shown anew', async (service) => {
    const plan = await propose(await open());
    const correcting = insisting(() => ann('POST', `/v1/plans/${plan.planId}/items/i1/correction`, { itemDigest: plan.items[0]!.itemDigest, input: { name: 'n', text: 'a better text' } }));
    await log.first('plan.ItemCorrected');
    await kill(service);
    await correcting;
    const { body } = await insisting(() => agent('GET', `/v1/plans/${plan.planId}?wait=30&until=verdict`));
    const [item] = (body as PlanView).items;
    if (item!.decision === 'ask') expect((await decide(ann, body as PlanView)).status).toBe(200);
    expect((await settled(plan)).items[0]).toMatchObject({ outcome: 'applied', input: { text: 'a better text' } });
  }, 120_000);

  it('planner, when the first of two votes is durable: it counts, once', async () => {
    const plan = await propose(await open(), 'overwrite_note');
    const voting = decide(ann, plan);
    await log.first('plan.ItemsVoted');
    await kill('planner');
    expect((await voting).body).toMatchObject({ pending: { approvals: 1, quorum: 2 } });
    expect((await decide(ben, plan)).body.items[0]).toMatchObject({ decision: 'allow' });
    expect((await settled(plan)).items[0]).toMatchObject({ outcome: 'applied' });
  }, 120_000);

  it('notifier, when what it is to tell is in the log: the webhook is told', async () => {
    const plan = await propose(await open());
    await kill('notifier');
    await new Promise<void>((resolve) => {
      heard = () => { if (told.some((text) => text.includes(plan.planId) && text.includes('approval.asked'))) resolve(); };
      heard();
    });
    expect((await decide(ann, plan, { decision: 'reject' })).status).toBe(200);
  }, 120_000);

  it('leaves a log and a database that agree', async () => {
    expect(await fsck(gate.admin, gate.operator)).toMatchObject({ problems: [] });
  }, 120_000);
});
