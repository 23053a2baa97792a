import type { SessionEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import { endSession, evolve, isOpen, openSession, requireOpen, sessionFold } from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const opening = { agent: 'coder', profile: 'default', kind: 'chat', openedBy: 'agent', requestDigest: 'request', at } as const;
const opened: SessionEvent = { type: 'session.Opened', data: opening };
const ending = { by: 'ops', reason: 'done', at };
const ended: SessionEvent = { type: 'session.Ended', data: ending };

describe('openSession', () => {
  const on = scenario(sessionFold, openSession);
  it('opens once for one request', () => {
    on.given([]).when(opening).then([opened]).thenReply({ repeated: false });
    on.given([opened]).when({ ...opening, at: 'later' }).thenNothing().thenReply({ repeated: true });
    on.given([opened, ended]).when(opening).thenNothing();
    on.given([opened]).when({ ...opening, requestDigest: 'other' }).thenRefused('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('endSession', () => {
  const on = scenario(sessionFold, endSession);
  it('ends once', () => {
    on.given([opened]).when(ending).then([ended]).thenReply({ repeated: false });
    on.given([opened, ended]).when({ ...ending, by: 'other' }).thenNothing().thenReply({ repeated: true });
    on.given([]).when(ending).thenRefused('NOT_FOUND');
  });
});

describe('laws of the session', () => {
  const facts = fc.array(fc.constantFrom(opened, ended, { type: 'session.FromTheFuture', data: {} } as unknown as SessionEvent), { maxLength: 8 });

  it('folds in parts as in one, and an ended session is never open again', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(sessionFold, first);
      const after = later.reduce(evolve, before);
      expect(after).toEqual(foldOf(sessionFold, [...first, ...later]));
      if (before.ended) expect(isOpen(after)).toBe(false);
    }));
  });

  it('deciding twice changes nothing', () => {
    const open = evolve(sessionFold.initial, opened);
    expect(openSession(open, opening).event).toBeUndefined();
    expect(endSession(evolve(open, ended), ending).event).toBeUndefined();
  });

  it('requires an open session in so many words', () => {
    expect(requireOpen(foldOf(sessionFold, [opened]))).toEqual(opening);
    expect(() => requireOpen(sessionFold.initial)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(() => requireOpen(foldOf(sessionFold, [opened, ended]))).toThrow(expect.objectContaining({ code: 'SESSION_ENDED' }));
  });
});
