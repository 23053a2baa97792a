import { BadRequestException, ForbiddenException, InternalServerErrorException, PayloadTooLargeException } from '@nestjs/common';
import { ERROR_CODES, type ErrorCode } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { problemOf } from './problem.js';

describe('problems', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('gives %s its status and title', (code) => {
    const { problem } = problemOf(new GateError(code, 'words of its own'), 'c1');
    expect(problem).toMatchObject({ code, status: ERROR_CODES[code].http, title: ERROR_CODES[code].title, correlationId: 'c1', type: `urn:countersign:error:${code}` });
  });

  it('keeps the words and details of a refusal, and of no fault of ours', () => {
    expect(problemOf(new GateError('ALREADY_RESOLVED', 'denied by ops', { verdict: 'deny' }), 'c').problem).toMatchObject({ detail: 'denied by ops', details: { verdict: 'deny' } });
    expect(problemOf(new GateError('PROVIDER_UNREACHABLE', 'spawn nope ENOENT'), 'c').problem.detail).toBe('spawn nope ENOENT');
    for (const code of ['INTERNAL', 'UNAVAILABLE', 'BLOB_MISSING', 'AGGREGATE_TRUNCATED'] as const) {
      expect(JSON.stringify(problemOf(new GateError(code, 'secret inside', { secret: 1 }), 'c'))).not.toContain('secret');
    }
  });

  it.each([
    [new TypeError('secret'), 'INTERNAL'], ['secret', 'INTERNAL'], [undefined, 'INTERNAL'], [new InternalServerErrorException('secret'), 'INTERNAL'],
    [new BadRequestException('secret'), 'INVALID_REQUEST'], [new ForbiddenException('secret'), 'FORBIDDEN'], [new PayloadTooLargeException('secret'), 'BODY_TOO_LARGE'],
    [Object.assign(new Error('secret'), { statusCode: 415 }), 'UNSUPPORTED_MEDIA_TYPE'], [Object.assign(new Error('secret'), { statusCode: 418 }), 'INVALID_REQUEST'],
    [Object.assign(new Error('secret'), { statusCode: 502 }), 'INTERNAL'], [new GateError('MADE_UP' as ErrorCode, 'secret'), 'INTERNAL'],
  ])('turns %p into %s and tells nothing of it', (error, code) => {
    const { problem } = problemOf(error, 'c');
    expect(problem.code).toBe(code);
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  it('says when to come back, and how to identify oneself', () => {
    expect(problemOf(new GateError('TOO_MANY_REQUESTS'), 'c').headers).toEqual({ 'retry-after': '1' });
    expect(problemOf(new GateError('BUSY'), 'c').headers).toEqual({ 'retry-after': '1' });
    expect(problemOf(new GateError('UNAUTHENTICATED'), 'c').headers).toEqual({ 'www-authenticate': 'Bearer' });
    expect(problemOf(new GateError('NOT_FOUND'), 'c').headers).toEqual({});
  });
});
