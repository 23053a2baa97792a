import { pino, stdSerializers, type DestinationStream } from 'pino';
import type { ServiceLogger } from './service.js';

const LEVELS = ['silent', 'error', 'warn', 'info'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** Never in a log, at whatever depth of the first three. */
const SECRET = ['password', 'pass', 'secret', 'token', 'apiKey', 'authorization', 'privateKey', 'operatorKeyHash', 'secretHash', 'cookie'];

/** @param fallback where COUNTERSIGN_LOG says nothing that is a level */
export function logLevel(env: NodeJS.ProcessEnv, fallback: LogLevel): LogLevel {
  return LEVELS.find((level) => level === env.COUNTERSIGN_LOG) ?? fallback;
}

/** JSON lines on stderr, one event a line. `error` (or `err`) in the fields is written as type, message and stack. */
export function makeLogger(fields: { readonly service: string; readonly instance: string }, level: LogLevel, to?: DestinationStream): ServiceLogger {
  const logger = pino({
    level,
    base: fields,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: errorWithoutCredentials, err: errorWithoutCredentials },
    redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  }, to ?? pino.destination({ fd: 2, sync: true }));
  return {
    info: (more, message) => logger.info(more, message),
    warn: (more, message) => logger.warn(more, message),
    error: (more, message) => logger.error(more, message),
  };
}

/** Drivers put the address they could not reach into their messages, with user and password. */
function errorWithoutCredentials(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = stdSerializers.err(error);
  const code = (error as { code?: unknown }).code;
  return { type, message: masked(message), ...(code === undefined ? {} : { code }), stack: masked(stack ?? '') };
}

const masked = (text: string): string => text.replace(/\/\/[^\s/@]+@/g, '//[redacted]@');
