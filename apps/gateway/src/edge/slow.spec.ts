import { connect } from 'node:net';
import { MemoryGate, OPERATOR_KEY } from '../spec-support/memory-gate.js';

/** What came back on a connection that says this much and then no more. */
function saying(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => { socket.write(text); });
    socket.on('data', (chunk) => { answer += chunk.toString('utf8'); }).on('close', () => resolve(answer)).on('error', reject);
  });
}

describe('a client that is slow', () => {
  let gate: MemoryGate;
  let key: string;
  beforeAll(async () => {
    gate = await new MemoryGate({ requestMs: 300, idleMs: 1_500, lookMs: 50 }).start();
    key = await gate.tenant('acme');
  });
  afterAll(() => gate.stop());

  it.each([
    ['its body', () => `POST /v1/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"agent`],
    ['its headers', () => 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-'],
  ])('is told so and cut off when it does not finish %s', async (_what, text) => {
    const answer = await saying(gate.port, text());
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"code":"REQUEST_TOO_SLOW"');
  });

  it('is cut off when it never says anything', async () => {
    expect(await saying(gate.port, '')).not.toContain('200');
  });

  it('still gets its answer when only the answer takes long', async () => {
    gate.planner.instead.set('planner.register-tenant', async () => { await new Promise((resolve) => setTimeout(resolve, 800)); return { sequence: 1 }; });
    expect((await gate.ask('POST', '/v1/tenants', OPERATOR_KEY, { body: { tenantId: 'slow', name: 'slow' } })).status).toBe(201);
  });
});
