import { MAX_DELIVERIES_ADVISORY, TERMINATED_ADVISORY, deadLetterRetrySubject, type DeadLetterRetry } from '@countersign/contracts';
import { foldDeadLetters, type AdvisoryMessage } from './dead-letter-fold.js';

let sequence = 0;
const message = (subject: string, body: object | string): AdvisoryMessage => ({ subject, sequence: ++sequence, body: typeof body === 'string' ? body : JSON.stringify(body) });
const advisory = (prefix: string, consumer: string, stream_seq: number, more: object = {}) =>
  message(`${prefix}.GATE.${consumer}`, { stream: 'GATE', consumer, stream_seq, deliveries: 3, timestamp: '2026-01-01T00:00:00Z', ...more });
const retry = (body: DeadLetterRetry) => message(deadLetterRetrySubject('policy'), body);
const at = { stream: 'GATE', sequence: 7, at: '2026-01-02T00:00:00Z' };

describe('dead letters', () => {
  beforeEach(() => { sequence = 0; });

  it('are what the advisories say, by service, with kind and reason', () => {
    const { letters } = foldDeadLetters([
      advisory(MAX_DELIVERIES_ADVISORY, 'policy', 7),
      advisory(TERMINATED_ADVISORY, 'executor', 7, { reason: 'unparsable: no JSON' }),
      advisory(TERMINATED_ADVISORY, 'executor', 8, { reason: 'failed: BUSY: too many' }),
    ]);
    expect(letters.map(({ service, sequence: of, kind }) => [service, of, kind])).toEqual([['policy', 7, 'deliveries'], ['executor', 7, 'unparsable'], ['executor', 8, 'failed']]);
  });

  it('are marked by their retries, and are dead again when an advisory comes after', () => {
    const died = advisory(MAX_DELIVERIES_ADVISORY, 'policy', 7);
    const started = retry({ ...at, state: 'started', until: '2026-01-02T00:02:00Z' });
    const resolved = retry({ ...at, state: 'resolved' });
    expect(foldDeadLetters([died, started]).letters[0]).toMatchObject({ retries: 1, retryingUntil: '2026-01-02T00:02:00Z' });
    expect(foldDeadLetters([died, started, retry({ ...at, state: 'failed', reason: 'no' })]).letters[0]).toEqual(
      { service: 'policy', stream: 'GATE', sequence: 7, kind: 'deliveries', reason: 'no', deliveries: 3, at: '2026-01-01T00:00:00Z', retries: 1 });
    expect(foldDeadLetters([died, started, resolved]).letters[0]).toMatchObject({ retries: 1, resolvedAt: at.at });
    expect(foldDeadLetters([died, started, resolved, died]).letters[0]).not.toHaveProperty('resolvedAt');
    expect(foldDeadLetters([died, started, resolved]).lastRetry.get('dead.policy.retries')).toBe(resolved.sequence);
  });

  it('leave out what is no advisory of a service of ours', () => {
    const { letters } = foldDeadLetters([
      message(`${MAX_DELIVERIES_ADVISORY}.GATE.policy`, '{'), message(`${MAX_DELIVERIES_ADVISORY}.GATE.policy`, {}),
      advisory(MAX_DELIVERIES_ADVISORY, 'somebody', 7), retry({ ...at, state: 'resolved' }), message(deadLetterRetrySubject('policy'), 'null'),
    ]);
    expect(letters).toEqual([]);
  });
});
