import { canonicalJson } from '@countersign/kernel';
import { HEADERS, type AnyEvent } from '@countersign/contracts';
import { openAuditStore, type AuditStore } from './index.js';
import { AuditDatabases, PASSWORDS, runAs, type AuditDatabase } from '../test/audit-database.js';
import { rebuilt } from '../test/rebuilt.js';
import { Tale, plan, session, type Told } from '../test/messages.js';
import { evaluated, opened, proposed } from '../test/plan-facts.js';

let databases: AuditDatabases;
let database: AuditDatabase;
let store: AuditStore;

beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.create();
  store = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
});
afterEach(() => store.close());

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const unknown = { type: 'plan.Embroidered', data: {} } as unknown as AnyEvent;
const verdict = evaluated({ i1: 'allow' });
const withTurn = (turnId: string): AnyEvent => { const event = proposed(['i1']); return { ...event, data: { ...event.data, turnId } } as AnyEvent; };
const subject = (token: string): string => `evt.t1.sabcdefgh1.plan.sabcdefgh1-p0000000001.${token}`;

/** A proposal whose input nests as deep as that. */
const deep = (levels: number): Uint8Array =>
  bytes(JSON.stringify(proposed(['i1']).data).replace('"n":1', `"n":${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`));

/** What the log may hold, the reason it is put aside for, and whether its body can stand in event_log all the same. */
const CASES: readonly [string, AnyEvent, Told, string, boolean][] = [
  ['an unknown type', unknown, {}, 'type_unknown', true],
  ['a newer version', verdict, { version: '2' }, 'version_newer', true],
  ['a version that is none', verdict, { version: 'one' }, 'headers_unreadable', true],
  ['no id', verdict, { headers: { [HEADERS.id]: [] } }, 'shape_unknown', true],
  ['a time that is none', verdict, { time: '2026-02-30T00:00:00.000Z' }, 'headers_unreadable', true],
  ['a time far away', verdict, { time: '9999-01-01T00:00:00.000Z' }, 'headers_unreadable', true],
  ['a verdict that is not policy’s', verdict, { subject: subject('executor.1') }, 'wrong_author', true],
  ['a fact of another kind of thing', opened, { subject: subject('planner.1') }, 'wrong_aggregate', true],
  ['an input deeper than any stack', proposed(['i1']), { body: deep(16_000) }, 'too_deep', true],
  ['an input deeper than the bound', proposed(['i1']), { body: deep(254) }, 'too_deep', true],
  ['a tenant that is not its subject’s', verdict, { headers: { [HEADERS.tenant]: ['t2'] } }, 'unreadable', true],
  ['no CloudEvent', verdict, { headers: { [HEADERS.specversion]: ['2.0'] } }, 'unreadable', true],
  ['a type that is overruled by a second header', verdict, { headers: { [HEADERS.type]: ['plan.Evaluated', 'plan.Outcomes'] } }, 'wrong_author', true],
  ['a subject of no event', verdict, { subject: 'evt.t1.what' }, 'subject_unreadable', true],
  ['a name as long as a novel', verdict, { subject: `evt.t1.s1.plan.${'p'.repeat(5_000)}.policy.1` }, 'too_long', true],
  ['a body that is not JSON', verdict, { body: bytes('{') }, 'unreadable', true],
  ['JSON of another shape', verdict, { body: bytes('{"items":{}}') }, 'shape_unknown', true],
  ['JSON that is null', verdict, { body: bytes('null') }, 'unreadable', true],
  ['JSON deeper than any stack', verdict, { body: bytes(`${'['.repeat(60_000)}${']'.repeat(60_000)}`) }, 'too_deep', true],
  ['a body that is not UTF-8', verdict, { body: Uint8Array.of(0x7b, 0xff, 0x7d) }, 'not_utf8', false],
  ['a body with NUL in it', verdict, { body: bytes('{\0}') }, 'holds_nul', false],
  ['an empty body', verdict, { body: new Uint8Array(0) }, 'unreadable', true],
  ['a name with NUL in it', withTurn('a\0b'), {}, 'holds_nul', true],
  ['a text that is not Unicode', proposed(['i1'], { description: 'a\ud800b' }), {}, 'shape_unknown', true],
  ['a header with NUL in it', verdict, { headers: { [HEADERS.actor]: ['a\0b'] } }, 'holds_nul', true],
  ['a number that no column holds', evaluated({ i1: 'allow' }, 1e300), {}, 'shape_unknown', true],
];

describe('quarantine', () => {
  it.each(CASES)('%s is kept aside whole, and order goes on', async (_name, event, told, reason, bodyStands) => {
    const tale = new Tale();
    tale.tell(session('t1'), opened);
    const bad = tale.tell(plan('t1', 1), event, told);
    tale.tell(session('t1', 'sabcdefgh2'), opened);
    const projected = await store.project(tale.messages);
    expect(projected.checkpoints).toEqual({ GATE: 3 });
    expect(projected.quarantined).toMatchObject([{ stream: 'GATE', sequence: 2, reason }]);
    const [kept] = await runAs<{ body: Buffer; envelope: string; reason: string }>(database.adminUrl, 'SELECT * FROM audit.quarantine');
    expect(kept!.reason).toBe(reason);
    expect(kept!.body.equals(Buffer.from(bad.body))).toBe(true);
    const headers = Object.fromEntries(Object.entries(bad.headers).filter(([name]) => !name.startsWith('Nats-')));
    expect(kept!.envelope).toBe(canonicalJson({ subject: bad.subject, headers }));
    const log = await runAs<{ sequence: string; body: string | null }>(database.adminUrl, 'SELECT sequence, body FROM audit.event_log ORDER BY sequence');
    expect(log.map((row) => Number(row.sequence))).toEqual([1, 2, 3]);
    expect(log[1]!.body).toBe(bodyStands ? Buffer.from(bad.body).toString('utf8') : null);
    expect(await runAs(database.adminUrl, 'SELECT count(*)::int AS n FROM audit.sessions')).toEqual([{ n: 2 }]);
    expect(await runAs(database.adminUrl, `SELECT 1 FROM audit.plan_items UNION ALL SELECT 1 FROM audit.item_verdicts`)).toEqual([]);
    const report = await rebuilt(store, tale.source.bind(tale));
    expect(report.identical).toBe(true);
  });

  it('counts for a tenant its own, and for the operator also those that nobody can be named for', async () => {
    const tale = new Tale();
    tale.tell(plan('t1', 1), unknown);
    tale.tell(plan('t2', 1), unknown);
    tale.tell(plan('t2', 2), verdict, { subject: 'evt.t2.what' });
    await store.project(tale.messages);
    expect([await store.quarantined('t1'), await store.quarantined('t2'), await store.quarantined('t3'), await store.quarantined()]).toEqual([1, 1, 0, 3]);
  });
});
