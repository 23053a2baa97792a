import fc from 'fast-check';
import { AGGREGATES, LOG_STREAMS, SERVICES, STREAM_OF } from './flow.js';
import { NO_SESSION, planIdFrom, sessionIdFrom } from './ids.js';
import {
  LIVE_PREFIX, aggregateFilter, blobSubject, catalogueFilter, eventSubject, keyText, outboxSubject, parseEventSubject, parseOutboxSubject, planKey, policyKey, providerKey, sessionFilter,
  sessionKey, streamOf, tenantFilter, tenantKey, type AggregateKey,
} from './subjects.js';

const token = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
const keys: fc.Arbitrary<AggregateKey> = fc.record({ tenant: token, session: fc.oneof(token, fc.constant(NO_SESSION)), aggregate: fc.constantFrom(...AGGREGATES), id: token });
const authors = fc.constantFrom(...SERVICES);
const revs = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const covers = (filter: string, subject: string): boolean => subject.startsWith(filter.slice(0, -1)) && filter.endsWith('.>');

describe('the subject of an event', () => {
  it('is read back into what it was made of, also as the live feed brings it', () => {
    fc.assert(fc.property(keys, authors, revs, (key, author, rev) => {
      const subject = eventSubject(key, author, rev);
      expect(parseEventSubject(subject)).toEqual({ key, author, rev });
      expect(parseEventSubject(`${LIVE_PREFIX}${subject}`)).toEqual({ key, author, rev });
    }));
  });

  it('has one spelling: whatever can be read is written the same again', () => {
    const near = fc.tuple(fc.constantFrom('evt', 'live', 'cmd'), token, token, fc.oneof(fc.constantFrom(...AGGREGATES), fc.constantFrom('constructor', 'toString', 'run')), token, authors,
      fc.oneof(revs.map(String), fc.constantFrom('0', '-1', '01', '1.0', '1e3', '0x10', ' 1', '+1', 'Infinity', '9007199254740993'))).map((tokens) => tokens.join('.'));
    fc.assert(fc.property(fc.oneof(near, fc.string(), token), (text) => {
      const parsed = parseEventSubject(text);
      if (parsed) expect(eventSubject(parsed.key, parsed.author, parsed.rev)).toBe(text);
    }), { numRuns: 2_000 });
  });

  it.each([
    '', 'evt', 'evt.acme.s1.plan.p1.planner', 'evt.acme.s1.plan.p1.planner.1.2', 'evt.acme.s1.plan.p1.planner.0', 'evt.acme.s1.plan.p1.planner.01',
    'evt.acme.s1.plan.p1.planner.1e3', 'evt.acme.s1.run.p1.planner.1', 'evt.acme.s1.constructor.p1.planner.1', 'evt.acme..plan.p1.planner.1',
    'evt..s1.plan.p1.planner.1', 'evt.acme.s1.plan..planner.1', 'evt.acme.s1.plan.p1..1', 'cmd.acme.s1.plan.p1.planner.1',
  ])('is none in %j', (subject) => expect(parseEventSubject(subject)).toBeUndefined());
});

describe('the subject of a delivery', () => {
  it('is read back into what it was made of', () => {
    fc.assert(fc.property(token, token, fc.constantFrom(...LOG_STREAMS), revs, (tenant, webhook, stream, sequence) => {
      expect(parseOutboxSubject(outboxSubject({ tenant, webhook, stream, sequence }))).toEqual({ tenant, webhook, stream, sequence });
    }));
  });

  it.each(['', 'outbox.notifier.acme.ops.GATE', 'outbox.notifier.acme.ops.GATE.0', 'outbox.notifier.acme.ops.GATE.01', 'outbox.notifier.acme.ops.BLOBS.1', 'outbox.other.acme.ops.GATE.1', 'outbox.notifier..ops.GATE.1', 'outbox.notifier.acme.ops.GATE.1.2'])(
    'is none in %j', (subject) => expect(parseOutboxSubject(subject)).toBeUndefined());
});

describe('filters', () => {
  it('cover the subjects of what they name, whoever wrote them', () => {
    fc.assert(fc.property(keys, authors, revs, (key, author, rev) => {
      const subject = eventSubject(key, author, rev);
      expect([aggregateFilter(key), sessionFilter(key.tenant, key.session), tenantFilter(key.tenant)].map((filter) => covers(filter, subject))).toEqual([true, true, true]);
      expect(covers(catalogueFilter(key.tenant, key.aggregate), subject)).toBe(key.session === NO_SESSION);
    }));
  });

  it('cover nothing of another aggregate, session or tenant, also where one name begins with the other', () => {
    fc.assert(fc.property(keys, keys, authors, revs, (one, other, author, rev) => {
      const subject = eventSubject(other, author, rev);
      expect(covers(aggregateFilter(one), subject)).toBe(keyText(one) === keyText(other));
      expect(covers(sessionFilter(one.tenant, one.session), subject)).toBe(one.tenant === other.tenant && one.session === other.session);
      expect(covers(tenantFilter(one.tenant), subject)).toBe(one.tenant === other.tenant);
    }));
    expect(covers(tenantFilter('acme'), 'evt.acme2.s1.plan.p1.planner.1')).toBe(false);
  });
});

describe('keys', () => {
  const session = sessionIdFrom('a'.repeat(24));

  it('put a plan under the session that its id begins with, so that one filter finds either', () => {
    const plan = planKey('acme', planIdFrom(session, 'b'.repeat(24)));
    expect(plan.session).toBe(session);
    expect(covers(sessionFilter('acme', session), eventSubject(plan, 'planner', 1))).toBe(true);
    expect(covers(sessionFilter('acme', session), eventSubject(sessionKey('acme', session), 'planner', 1))).toBe(true);
  });

  it('put what belongs to no session under `_`, and each into one log', () => {
    for (const key of [tenantKey('acme'), providerKey('acme', 'files'), policyKey('acme')]) {
      expect(key.session).toBe(NO_SESSION);
      expect(streamOf(key)).toBe('CATALOG');
    }
    expect(Object.keys(STREAM_OF).sort()).toEqual([...AGGREGATES].sort());
    for (const stream of Object.values(STREAM_OF)) expect(LOG_STREAMS).toContain(stream);
  });

  it('keep the bodies of the two stores apart', () => {
    expect(blobSubject('BLOBS', 'acme', 'd', 1)).toBe('blob.acme.d.1');
    expect(blobSubject('RESULTS', 'acme', 'd', '>')).toBe('result.acme.d.>');
  });
});
