import type { LoggerService } from '@nestjs/common';
import type { ServiceLogger } from './service.js';

/** What Nest itself has to say: its progress is not worth a line, its warnings and errors are. */
export const nestLogger = (logger: ServiceLogger): LoggerService => ({
  log() {},
  warn: (message: unknown) => logger.warn({ nest: textOf(message) }, 'the framework warns'),
  error: (message: unknown, ...more: unknown[]) => logger.error({ nest: textOf(message), ...(message instanceof Error ? { error: message } : {}), stack: more.find((one) => typeof one === 'string') }, 'the framework reports an error'),
});

const textOf = (message: unknown): string => (message instanceof Error ? message.message : String(message));
