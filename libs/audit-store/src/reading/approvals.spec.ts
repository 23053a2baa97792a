import type { ApprovalQuery } from '@countersign/contracts';
import { openAuditStore, type AuditStore } from '../index.js';
import { AuditDatabases, PASSWORDS } from '../../test/audit-database.js';
import { Tale, plan, session, timeAt } from '../../test/messages.js';
import { corrected, decided, judged, terms, voted } from '../../test/decision-facts.js';
import { answered, blob, closed, expired, inline, opened, proposed } from '../../test/plan-facts.js';

let databases: AuditDatabases;
let store: AuditStore;
let tale: Tale;
let projected: number;

beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());
beforeEach(async () => {
  store = await openAuditStore({ url: (await databases.create()).adminUrl, passwords: PASSWORDS });
  tale = new Tale();
  projected = 0;
});
afterEach(() => store.close());

async function project(): Promise<void> {
  await store.project(tale.messages.slice(projected));
  projected = tale.messages.length;
}
const NOW = new Date(timeAt(60_000));
const inbox = async (query: ApprovalQuery = {}, now = NOW): Promise<string[]> =>
  (await store.queryApprovals('t1', query, now)).rows.map(({ planId, itemId }) => `${planId.at(-1)}${itemId}`);

describe('queryApprovals', () => {
  it('shows what waits, longest waiting first, with all that one must know to answer', async () => {
    tale.tell(session('t1'), opened);
    for (const event of [proposed(['i1']), ...decided('i1')]) tale.tell(plan('t1', 1), event);
    await project();
    const page = await store.queryApprovals('t1', {}, NOW);
    expect(page).toMatchObject({ reflects: 6 });
    expect(page.rows).toEqual([{
      planId: plan('t1', 1).id, itemId: 'i1', sessionId: 'sabcdefgh1', agent: 'claude', requester: 'robot', callId: 'call-i1', provider: 'files', operation: 'write_file',
      risk: 'high', description: expect.any(String), decidedBy: 'policy:writes', itemDigest: 'digest-i1-2', inputDigest: inline({ path: 'corrected', n: 1 }).digest,
      askedAt: timeAt(2), expiresAt: timeAt(1_800_000), quorum: 2, approvals: 1, sequence: 5,
    }]);
  });

  it('leaves out what is answered, expired, closed, corrected and not judged yet, and what is too late to be answered', async () => {
    const ids = ['i1', 'i2', 'i3', 'i4', 'i5'];
    tale.tell(plan('t1', 1), proposed(ids));
    tale.tell(plan('t1', 1), judged({ i1: {}, i2: {}, i3: {}, i4: {}, i5: { decision: 'allow' } }));
    tale.tell(plan('t1', 1), answered('i1', 'reject'));
    tale.tell(plan('t1', 1), expired(['i2']));
    tale.tell(plan('t1', 1), corrected('i3'));
    for (const event of [proposed(['i1']), judged({ i1: {} }), closed('cancelled')]) tale.tell(plan('t1', 2), event);
    for (const event of [proposed(['i1']), judged({ i1: { expiresAt: undefined as never, terms: terms({ onTimeout: 'wait' }) } })]) tale.tell(plan('t1', 3), event);
    for (const event of [proposed(['i1']), judged({ i1: {} })]) tale.tell(plan('t2', 4), event);
    await project();
    expect(await inbox()).toEqual(['1i4', '3i1']);
    expect(await inbox({}, new Date(timeAt(1_800_000)))).toEqual(['3i1']);
    tale.tell(plan('t1', 1), judged({ i3: {} }, 2));
    await project();
    expect(await inbox()).toEqual(['1i4', '3i1', '1i3']);
  });

  it('narrows by roles, provider, operation, risk, session, agent and age', async () => {
    tale.tell(session('t1'), opened);
    for (const event of [proposed(['i1', 'i2']), judged({ i1: { terms: terms({ roles: ['security', 'legal'] }) }, i2: {} })]) tale.tell(plan('t1', 1), event);
    await project();
    expect(await inbox({ roles: ['legal'] })).toEqual(['1i1', '1i2']);
    expect(await inbox({ roles: ['billing', "x'"] })).toEqual(['1i2']);
    expect(await inbox({ roles: [] })).toEqual(['1i2']);
    expect(await inbox({ provider: 'files', operation: 'write_file', risk: 'high', session: 'sabcdefgh1', agent: 'claude' })).toEqual(['1i1', '1i2']);
    for (const query of [{ provider: 'other' }, { operation: 'x' }, { risk: 'low' }, { session: 's' }, { agent: 'codex' }, { askedBefore: timeAt(1) }]) expect(await inbox(query)).toEqual([]);
    expect(await inbox({ askedBefore: timeAt(2) })).toEqual(['1i1', '1i2']);
  });

  it('pages without loss or repetition while others are asked and answered', async () => {
    for (let number = 1; number <= 7; number += 1) for (const event of [proposed(['i1', 'i2']), judged({ i1: {}, i2: {} })]) tale.tell(plan('t1', number), event);
    await project();
    const seen: string[] = [];
    let cursor: string | undefined;
    let added = 8;
    do {
      const page = await store.queryApprovals('t1', { limit: 3, ...(cursor ? { cursor } : {}) }, NOW);
      seen.push(...page.rows.map(({ planId, itemId }) => `${planId.at(-1)}${itemId}`));
      cursor = page.nextCursor;
      tale.tell(plan('t1', 1), answered('i1', 'approve'));
      if (added === 8) for (const event of [proposed(['i1']), judged({ i1: {} })]) tale.tell(plan('t1', added), event);
      added += 1;
      await project();
    } while (cursor);
    expect(seen).toEqual([...[1, 2, 3, 4, 5, 6, 7].flatMap((number) => [`${number}i1`, `${number}i2`]), '8i1']);
  });

  it('refuses a cursor of another tenant or question, and what is no question', async () => {
    for (const event of [proposed(['i1', 'i2']), judged({ i1: {}, i2: {} })]) tale.tell(plan('t1', 1), event);
    await project();
    const { nextCursor: cursor } = await store.queryApprovals('t1', { limit: 1 }, NOW);
    const invalid = { code: 'CURSOR_INVALID' };
    await expect(store.queryApprovals('t2', { cursor }, NOW)).rejects.toMatchObject(invalid);
    await expect(store.queryApprovals('t1', { cursor, risk: 'high' }, NOW)).rejects.toMatchObject(invalid);
    await expect(store.queryItems('t1', { cursor })).rejects.toMatchObject(invalid);
    for (const query of [{ limit: 0 }, { roles: 'x' }, { roles: [1] }, { provider: 'a\0' }, { askedBefore: 'soon' }]) {
      await expect(store.queryApprovals('t1', query as never, NOW)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
  });
});

describe('grantUse', () => {
  it('counts the verdicts that each grant decided, of the tenant alone', async () => {
    for (const name of ['t1', 't2']) {
      for (const event of [proposed(['i1', 'i2', 'i3']), judged({ i1: { decision: 'allow', decidedBy: 'standing:g1' }, i2: { decision: 'allow', decidedBy: 'standing:g1' }, i3: {} })]) tale.tell(plan(name, 1), event);
    }
    await project();
    expect(await store.grantUse('t1', { grants: ['g2', 'g1'] })).toEqual({ uses: [{ grantId: 'g2', hits: 0 }, { grantId: 'g1', hits: 2, lastHitAt: timeAt(2) }], reflects: 4 });
    await expect(store.grantUse('t1', { grants: ['a\0'] })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('previewGrant', () => {
  const origin = { plan: plan('t1', 1).id, itemId: 'i1' };
  const during = { from: timeAt(0), to: timeAt(1_000_000) };

  it('counts what people said of the calls that it covers, and shows the newest', async () => {
    const told = [['i1', 'approve'], ['i2', 'reject'], ['i3', undefined]] as const;
    tale.tell(plan('t1', 1), proposed(['i1', 'i2', 'i3', 'i4']));
    tale.tell(plan('t1', 1), judged({ i1: {}, i2: {}, i3: {}, i4: { decision: 'allow' } }));
    for (const [itemId, answer] of told) if (answer) tale.tell(plan('t1', 1), answered(itemId, answer));
    tale.tell(plan('t1', 1), expired(['i3']));
    for (const event of [proposed(['i1']), judged({ i1: {} })]) tale.tell(plan('t2', 2), event);
    await project();
    const preview = await store.previewGrant('t1', { origin, ...during });
    expect(preview).toMatchObject({ profile: 'default', provider: 'files', operation: 'write_file', asked: 3, approved: 1, rejected: 1, expired: 1, notComparable: 0 });
    expect(preview.examples.map(({ itemId, answer }) => [itemId, answer])).toEqual([['i3', undefined], ['i2', 'reject'], ['i1', 'approve']]);
    expect(await store.previewGrant('t1', { origin, from: timeAt(900_000), to: timeAt(1_000_000) })).toMatchObject({ asked: 0 });
    await expect(store.previewGrant('t2', { origin, ...during })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('compares a condition with the arguments as they stood in the end, and says of how many it cannot', async () => {
    tale.tell(plan('t1', 1), proposed(['i1'], { input: inline({ path: '/a/b' }) }));
    tale.tell(plan('t1', 2), proposed(['i1'], { input: inline({ path: '/b/c' }) }));
    tale.tell(plan('t1', 3), proposed(['i1'], { input: blob('{"path":"/a/long"}') }));
    for (const number of [1, 2, 3]) tale.tell(plan('t1', number), judged({ i1: {} }));
    await project();
    const below = { kind: 'path_prefix', field: '/path', prefix: '/a' } as const;
    expect(await store.previewGrant('t1', { origin, narrow: below, ...during })).toMatchObject({ asked: 1, notComparable: 1 });
    expect(await store.previewGrant('t1', { origin, narrow: { kind: 'exact_input', inputDigest: inline({ path: '/b/c' }).digest }, ...during })).toMatchObject({ asked: 1, notComparable: 0 });
    tale.tell(plan('t1', 2), corrected('i1', 1, inline({ path: '/a/x' })));
    tale.tell(plan('t1', 2), voted('i1', 'bob'));
    await project();
    expect(await store.previewGrant('t1', { origin, narrow: below, ...during })).toMatchObject({ asked: 2, notComparable: 1 });
  });
});
