import { LIMITS } from '../limits.js';
import { CorrectionRequest, DecisionRequest, DecisionsRequest } from './decisions.js';
import { problemsOf } from './judge.js';
import { ProposeRequest } from './propose.js';
import { RegisterProviderRequest } from './providers.js';
import { SimulateRequest } from './policy-checks.js';
import { EndSessionRequest, OpenSessionRequest } from './sessions.js';
import { FreezeRequest, SettingsBody, SubscriberRequest } from './settings.js';
import { KeyRequest, TenantRequest } from './tenants.js';

const call = (change: object = {}) => ({ callId: 'c1', provider: 'files', operation: 'write_file', input: {}, ...change });
const paths = (type: new () => object, body: object) => problemsOf(type, body).map(({ path }) => path);
const digest = 'a'.repeat(64);

describe('the judgement of a body', () => {
  it.each<[string, new () => object, object]>([
    ['a proposal', ProposeRequest, { turnId: 't1', items: [call(), call({ input: { constructor: 1, any: '\0' } })] }],
    ['a proposal without what may be left out', ProposeRequest, { items: [] }],
    ['a null for what may be left out', ProposeRequest, { turnId: null, items: [] }],
    ['what a class inherits', TenantRequest, { tenantId: 'acme', name: 'Acme', principal: 'boss', roles: ['admin'], localProcesses: true }],
    ['a nested object', RegisterProviderRequest, { name: 'files', endpoint: { transport: 'mcp-stdio', command: 'x', args: ['-e', 'a\nb'], env: [] } }],
    ['as many characters as it may have, each of two code units', OpenSessionRequest, { agent: '😀'.repeat(LIMITS.nameChars) }],
    ['an answer for always, narrowed, until a day', DecisionRequest, { decision: 'approve', itemDigest: digest, scope: 'always', narrow: { kind: 'path_prefix', field: '/path', prefix: '/tmp' }, grantExpiresAt: '7d' }],
    ['a time with an offset', DecisionRequest, { decision: 'approve', itemDigest: digest, scope: 'always', grantExpiresAt: '2026-12-01T10:00:00.5+02:00' }],
    ['a correction', CorrectionRequest, { itemDigest: digest, input: { any: ['thing'] }, confirm: false }],
    ['a freeze of the whole tenant', FreezeRequest, { reason: 'stop' }],
    ['lines in prose', EndSessionRequest, { reason: 'a\tb\r\nc' }],
  ])('has nothing against %s', (_what, type, body) => {
    expect(problemsOf(type, body)).toEqual([]);
  });

  it.each<[string, new () => object, object, string[]]>([
    ['what is missing', ProposeRequest, {}, ['/items']],
    ['what is no list', ProposeRequest, { items: {} }, ['/items']],
    ['a member that is no object', ProposeRequest, { items: [call(), 7, [], null] }, ['/items/1', '/items/2', '/items/3']],
    ['a member’s fields', ProposeRequest, { items: [call({ callId: '', provider: 7, input: [] })] }, ['/items/0/callId', '/items/0/provider', '/items/0/input']],
    ['what is in no class', ProposeRequest, { items: [call({ more: 1 })], constructor: 1 }, ['/items/0/more', '/constructor']],
    ['what is too long', OpenSessionRequest, { agent: '😀'.repeat(LIMITS.nameChars + 1) }, ['/agent']],
    ['what does not match', OpenSessionRequest, { agent: 'a', profile: 'A B', kind: 'party' }, ['/profile', '/kind']],
    ['a field of a nested object', RegisterProviderRequest, { name: 'files', endpoint: { transport: 'pigeon', args: ['a', 7] } }, ['/endpoint/transport', '/endpoint/args']],
    ['a member of a list of names', KeyRequest, { principal: 'bot', roles: ['admin', 'king'] }, ['/roles']],
    ['a flag that is none', TenantRequest, { tenantId: 'acme', name: 'a', localProcesses: 1 }, ['/localProcesses']],
    ['a scope that is none', DecisionRequest, { decision: 'approve', itemDigest: digest, scope: 'forever' }, ['/scope']],
    ['a narrow that is none', DecisionRequest, { decision: 'approve', itemDigest: digest, narrow: { kind: 'regex', field: 'path', inputDigest: 'x', more: 1 } }, ['/narrow/kind', '/narrow/inputDigest', '/narrow/field', '/narrow/more']],
    ['a duration that is none', DecisionRequest, { decision: 'approve', itemDigest: digest, grantExpiresAt: '7 days' }, ['/grantExpiresAt']],
    ['a corrected input that is no object', CorrectionRequest, { itemDigest: digest, input: ['a'] }, ['/input']],
    ['numbers out of their bounds', SettingsBody, {
      breaker: { consecutive: -1, count: 1.5, windowMs: '1000' }, doomLoop: { repeats: 1e99, within: 0 }, bypassPermissions: false, standingGrants: true, unfreezeBySecondPerson: false,
    }, ['/breaker/consecutive', '/breaker/count', '/breaker/windowMs', '/doomLoop/repeats', '/doomLoop/within']],
    ['a deadline beyond the bound', SubscriberRequest, { name: 'veto', url: 'https://a.example', deadlineMs: LIMITS.vetoDeadlineMaxMs + 1 }, ['/deadlineMs']],
    ['a mode that is none', SimulateRequest, { call: { provider: 'p', operation: 'o', permissionMode: 'yolo' } }, ['/call/permissionMode']],
    ['a group that does not match', KeyRequest, { principal: 'bot', roles: ['admin'], groups: ['ok', 'Not OK'] }, ['/groups']],
    ['more of a list than it may have', KeyRequest, { principal: 'bot', roles: Array.from({ length: 100_000 }, () => 'king') }, ['/roles']],
  ])('names %s', (_what, type, body, expected) => {
    expect(paths(type, body)).toEqual(expected);
  });

  it.each<[string, new () => object, (text: string) => object, string]>([
    ['callId', ProposeRequest, (callId) => ({ items: [call({ callId })] }), '/items/0/callId'],
    ['provider', ProposeRequest, (provider) => ({ items: [call({ provider })] }), '/items/0/provider'],
    ['operation', ProposeRequest, (operation) => ({ items: [call({ operation })] }), '/items/0/operation'],
    ['turnId', ProposeRequest, (turnId) => ({ turnId, items: [] }), '/turnId'],
    ['agent', OpenSessionRequest, (agent) => ({ agent }), '/agent'],
    ['name', TenantRequest, (name) => ({ tenantId: 'acme', name }), '/name'],
    ['command', RegisterProviderRequest, (command) => ({ name: 'files', endpoint: { transport: 'mcp-stdio', command } }), '/endpoint/command'],
  ])('lets no control character into %s', (_name, type, body, path) => {
    for (const character of ['\0', '\u0007', '\t', '\n', '\u001b', '\u007f', '\u0085', '\u009f']) expect(paths(type, body(`a${character}b`))).toEqual([path]);
    expect(problemsOf(type, body('ab'))).toEqual([]);
  });

  it.each<[string, new () => object, (text: string) => object, string]>([
    ['a reason', EndSessionRequest, (reason) => ({ reason }), '/reason'],
    ['the reason of an answer', DecisionRequest, (reason) => ({ decision: 'reject', itemDigest: digest, reason }), '/reason'],
    ['an argument', RegisterProviderRequest, (arg) => ({ name: 'files', endpoint: { transport: 'mcp-stdio', command: 'x', args: [arg] } }), '/endpoint/args'],
  ])('lets none but tabs and line breaks into %s', (_name, type, body, path) => {
    for (const character of ['\0', '\b', '\u001b', '\u007f', '\u0085']) expect(paths(type, body(`a${character}b`))).toEqual([path]);
    expect(problemsOf(type, body('a\tb\r\nc'))).toEqual([]);
  });

  it('has a code of its own for a plan that is too large, and looks at no item of it', () => {
    const items = Array.from({ length: LIMITS.planItems + 1 }, () => Object.defineProperty({}, 'callId', { get: () => { throw new Error('looked at'); }, enumerable: true }));
    expect(problemsOf(ProposeRequest, { items })).toEqual([{ path: '/items', message: expect.any(String), code: 'PLAN_TOO_LARGE' }]);
    const decisions = Array.from({ length: LIMITS.planItems + 1 }, () => Object.defineProperty({}, 'itemId', { get: () => { throw new Error('looked at'); }, enumerable: true }));
    expect(paths(DecisionsRequest, { decisions })).toEqual(['/decisions']);
  });

  it('stops at its bound, and says of a name only the beginning', () => {
    expect(problemsOf(ProposeRequest, { items: Array.from({ length: LIMITS.planItems }, () => ({})) })).toHaveLength(LIMITS.fieldProblems);
    const many = problemsOf(EndSessionRequest, Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}-${'x'.repeat(10_000)}`, 1])));
    expect(many).toHaveLength(LIMITS.fieldProblems);
    expect(JSON.stringify(many).length).toBeLessThan(5_000);
  });

  it('looks at each member of the largest plan a few times at most, however many there are', () => {
    let looks = 0;
    const items = Array.from({ length: LIMITS.planItems }, (_, index) =>
      Object.defineProperty({ ...call({}) }, 'callId', { get: () => { looks += 1; return `call-${index}`; }, enumerable: true }));
    expect(problemsOf(ProposeRequest, { items })).toEqual([]);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(3 * LIMITS.planItems);
  });
});
