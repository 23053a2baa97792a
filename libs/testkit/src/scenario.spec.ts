import type { SessionEvent } from '@countersign/contracts';
import { GateError, type Decision, type Fold } from '@countersign/kernel';
import { scenario } from './scenario.js';

const ended = (by: string): SessionEvent => ({ type: 'session.Ended', data: { by, reason: 'done', at: '2026-01-01T00:00:00.000Z' } });
const counting: Fold<number, SessionEvent> = { initial: 0, evolve: (count) => count + 1 };
const decide = (count: number, by: string): Decision<SessionEvent, { count: number }> => {
  if (by === 'fault') throw new RangeError('a fault');
  if (by === 'refused') throw new GateError('FORBIDDEN', 'no', { count });
  return count >= 2 ? { reply: { count } } : { event: ended(by), reply: { count } };
};
const on = scenario(counting, decide);

describe('scenario', () => {
  it('folds what is given, decides, and compares event and reply', () => {
    on.given([ended('a')]).when('b').then([ended('b')]).thenReply({ count: 1 });
    on.given([ended('a'), ended('b')]).when('c').thenNothing().then([]).thenReply({ count: 2 });
  });

  it('compares refusals by code and details', () => {
    on.given([]).when('refused').thenRefused('FORBIDDEN', { count: 0 });
    expect(() => on.given([]).when('refused').thenRefused('NOT_FOUND')).toThrow();
    expect(() => on.given([]).when('refused').thenRefused('FORBIDDEN', { count: 1 })).toThrow();
    expect(() => on.given([]).when('a').thenRefused('FORBIDDEN')).toThrow(/expected FORBIDDEN/);
  });

  it('fails on another event, a missing one, one too many, a field too many and a field too few', () => {
    const given = on.given([]);
    expect(() => given.when('a').then([ended('b')])).toThrow();
    expect(() => given.when('a').then([])).toThrow();
    expect(() => given.when('a').then([ended('a'), ended('a')])).toThrow();
    expect(() => given.when('a').then([Object.assign(ended('a'), { extra: 1 })])).toThrow();
    expect(() => given.when('a').then([{ type: 'session.Ended' } as SessionEvent])).toThrow();
    expect(() => given.when('a').thenNothing()).toThrow();
    expect(() => given.when('a').thenReply({ count: 5 })).toThrow();
  });

  it('does not take a refusal for "nothing", nor a fault for a refusal', () => {
    expect(() => on.given([]).when('refused').thenNothing()).toThrow(/refused with FORBIDDEN/);
    expect(() => on.given([]).when('fault')).toThrow(RangeError);
  });
});
