import { SERVICES } from '@countersign/contracts';
import { ROUTE_ROLES } from '../auth/route-roles.js';
import { MemoryGate } from '../spec-support/memory-gate.js';

interface Document {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, unknown>; readonly requestBody?: unknown; readonly 'x-access'?: unknown }>>;
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, unknown>; readonly required?: string[] }> };
}

const HIDDEN = ['GET /metrics', 'GET /openapi.json'];

describe('the description of the API', () => {
  let gate: MemoryGate;
  let document: Document;
  beforeAll(async () => {
    gate = await new MemoryGate().start();
    document = (await gate.ask<Document>('GET', '/openapi.json')).body;
  });
  afterAll(() => gate.stop());

  it('has every route of the table and no other, so that no route is left without a rule', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`));
    expect(described.sort()).toEqual(Object.keys(ROUTE_ROLES).filter((route) => !HIDDEN.includes(route)).sort());
  });

  it('says how every route fails and who may call it', () => {
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
      expect(operation.responses['default']).toBeDefined();
      expect(operation['x-access']).toBeDefined();
    }
  });

  it('names the shapes with their fields, bounds and whether they must be there', () => {
    const { schemas } = document.components;
    expect(schemas['CallRequest']).toMatchObject({ required: ['callId', 'provider', 'operation', 'input'], properties: { callId: { type: 'string', maxLength: 128 } } });
    expect(schemas['ProposeRequest']!.required).toEqual(['items']);
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['PlanView', 'PlanItemView', 'Problem', 'SessionView', 'DecisionRequest', 'ProviderView', 'PolicyView', 'AuditPlanPage', 'DeadLetterView', 'WhyView']));
  });

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]*)"/g)].map(([, name]) => name!);
    expect(references.length).toBeGreaterThan(20);
    for (const name of references) expect(document.components.schemas).toHaveProperty(name);
  });
});

describe('being there', () => {
  let gate: MemoryGate;
  beforeAll(async () => { gate = await new MemoryGate().start(); });
  afterAll(() => gate.stop());

  it('is healthy and ready without the other services, and says which are missing', async () => {
    expect((await gate.ask('GET', '/healthz')).status).toBe(200);
    const ready = await gate.ask<{ ready: boolean; services: Record<string, boolean> }>('GET', '/readyz');
    expect([ready.status, ready.body.ready, ready.body.services['planner']]).toEqual([200, true, false]);
    expect((await gate.ask('GET', '/readyz?need=all')).status).toBe(503);
  });

  it.each([['works', undefined, 200], ['has stopped for good', { code: 'LOG_REGRESSED', message: 'stopped' }, 503]] as const)('counts an audit that answers and %s by what it says of its streams', async (_what, halted, status) => {
    const { instead } = gate.planner;
    for (const service of SERVICES) instead.set(`${service}.health`, async () => ({}));
    instead.set('audit.status', async () => ({ checkpoints: { GATE: { sequence: 1, logSequence: 1, ...(halted ? { halted } : {}) } }, quarantined: 0 }));
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // what was asked before is kept for a second
    expect((await gate.ask('GET', '/readyz?need=all')).status).toBe(status);
    expect((await gate.ask('GET', '/readyz')).status).toBe(200);
  });

  it('counts what it answered by route pattern, never by what was asked for', async () => {
    await gate.ask('GET', '/v1/plans/s000000000000-p000000000000', 'nobody');
    const { text } = await gate.ask('GET', '/metrics');
    expect(text).toContain('countersign_http_responses_total{method="GET",route="/v1/plans/:planId",status="401"} 1');
    expect(text).not.toContain('p000000000000');
  });
});
