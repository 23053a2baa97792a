import { makeLogger, logLevel } from './make-logger.js';

describe('the logger', () => {
  const written = (level: 'info' | 'error', fields: object): Record<string, unknown>[] => {
    const lines: string[] = [];
    const logger = makeLogger({ service: 'policy', instance: 'i' }, level, { write: (line) => { lines.push(line); } });
    logger.warn(fields, 'said');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('writes one JSON line with the fields, the level by name and the time', () => {
    expect(written('info', { stream: 'GATE', sequence: 7 })).toEqual([
      { level: 'warn', time: expect.stringMatching(/^\d{4}-.*Z$/), service: 'policy', instance: 'i', stream: 'GATE', sequence: 7, message: 'said' },
    ]);
  });

  it('writes nothing below its level, and reads the level from the environment', () => {
    expect(written('error', {})).toEqual([]);
    expect([logLevel({ COUNTERSIGN_LOG: 'silent' }, 'warn'), logLevel({ COUNTERSIGN_LOG: 'loud' }, 'warn')]).toEqual(['silent', 'warn']);
  });

  it('never writes a secret, whether it is a field or stands in an address within an error', () => {
    const error = Object.assign(new Error('cannot reach postgres://audit:hunter2@127.0.0.1/x'), { code: 'ECONNREFUSED' });
    const text = JSON.stringify(written('info', { password: 'hunter2', config: { broker: { password: 'hunter2' } }, headers: { authorization: 'hunter2' }, error }));
    expect(text).not.toContain('hunter2');
    expect(text).toContain('ECONNREFUSED');
  });
});
