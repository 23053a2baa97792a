import { AGGREGATES, FLOW, LOG_STREAMS, SERVICES, STREAM_OF, emittedBy } from '@countersign/contracts';
import { consumerDefinitions, consumerFilters } from './consumer-definitions.js';
import { generateCredentials } from './credentials.js';
import { differences } from './differences.js';
import { grantsOf } from './grants.js';
import { serverInfoProblems } from './server-check.js';
import { streamDefinitions } from './stream-definitions.js';

describe('grants', () => {
  it('let nobody but its author append a kind of event', () => {
    for (const service of SERVICES) {
      const own = grantsOf(service).filter(({ subject }) => subject.startsWith('evt.'));
      expect(own.every(({ subject }) => subject.split('.')[5] === service)).toBe(true);
      expect(own.length > 0).toBe(emittedBy(service).length > 0);
    }
  });

  it('let nobody create, change, purge or delete anything', () => {
    const subjects = SERVICES.flatMap(grantsOf).map(({ subject }) => subject);
    expect(subjects.filter((subject) => /CREATE|UPDATE|PURGE|DELETE|RESTORE|SNAPSHOT|PAUSE|LEADER|PEER/.test(subject))).toEqual([]);
    expect(subjects.filter((subject) => /^(\$JS\.)?[*>]|^\$JS\.API\.[*>]/.test(subject))).toEqual([]);
  });

  it('let only a timer’s owner set it, and nobody fire it', () => {
    const timers = SERVICES.flatMap((service) => grantsOf(service).filter(({ subject }) => subject.startsWith('timer.')).map(({ subject }) => [service, subject]));
    expect(timers).toEqual([['planner', 'timer.planner.set.>']]);
  });
});

describe('definitions', () => {
  it('put each aggregate into exactly one log', () => {
    const subjects = streamDefinitions(1).filter(({ name }) => (LOG_STREAMS as readonly string[]).includes(name));
    for (const aggregate of AGGREGATES) {
      expect(subjects.filter((stream) => stream.subjects.includes(`evt.*.*.${aggregate}.>`)).map(({ name }) => name)).toEqual([STREAM_OF[aggregate]]);
    }
  });

  it('have a consumer for each stream a service consumes, with subjects that exclude each other', () => {
    expect(consumerDefinitions()).toHaveLength(SERVICES.reduce((sum, service) => sum + FLOW[service].consumes.length, 0));
    for (const service of SERVICES) {
      for (const spec of FLOW[service].consumes) {
        const filters = consumerFilters(spec, service);
        expect(new Set(filters.map((filter) => filter.split('.').slice(3, 6).join('.'))).size).toBe(filters.length);
      }
    }
  });

  it('show a consumer the facts of its authors, its timers and its deliveries, and nothing else', () => {
    expect(consumerFilters(FLOW.policy.consumes[0]!, 'policy')).toEqual(['evt.*.*.plan.*.planner.*', 'evt.*.*.plan.*.preview-fanout.*']);
    expect(FLOW.planner.consumes.flatMap((spec) => consumerFilters(spec, 'planner'))).toEqual(['timer.planner.fire.>', 'evt.*.*.plan.*.policy.*']);
    expect(consumerFilters(FLOW.notifier.consumes[1]!, 'notifier')).toEqual(['outbox.notifier.>']);
  });
});

describe('differences', () => {
  it('takes what is off and what is absent for the same, and lists in any order', () => {
    expect(differences({ a: false, b: 0, c: [], d: undefined, e: ['x', 'y'] }, { e: ['y', 'x'] })).toEqual([]);
  });

  it('does not pass over a setting nobody knows, unless it is harmless', () => {
    expect(differences({}, { new_thing: 'on', metadata: { x: 'y' }, consumer_limits: {} }, ['metadata'])).toEqual(['new_thing is "on", must be absent']);
  });

  it('names what it found and what it must be', () => {
    expect(differences({ deny_purge: true, max_age: 0 }, { max_age: 5 })).toEqual(['deny_purge is absent, must be true', 'max_age is 5, must be 0']);
  });
});

describe('the server', () => {
  it.each([['2.9.10', 0], ['2.12.6', 2], ['1.99.0', 9]])('is refused as too old when it is %s', (version, level) => {
    expect(serverInfoProblems({ version, api_lvl: level })[0]).toContain(`version ${version}`);
  });

  it('is refused when it does not offer the API level, whatever its version says', () => {
    expect(serverInfoProblems({ version: '2.15.1' })).toEqual([expect.stringContaining('API level none')]);
    expect(serverInfoProblems({ version: '2.14.0', api_lvl: 4 })).toEqual([]);
  });
});

it('gives every user a password of its own', () => {
  const { setup, services } = generateCredentials();
  const passwords = [setup, ...Object.values(services)].map(({ password }) => password);
  expect(new Set(passwords).size).toBe(SERVICES.length + 1);
  expect(passwords.every((password) => Buffer.from(password, 'base64url').length === 32)).toBe(true);
});
