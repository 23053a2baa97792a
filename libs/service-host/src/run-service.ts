import { hostService } from './host-service.js';
import { logLevel, makeLogger } from './make-logger.js';
import { ConfigError, readConfig } from './read-config.js';
import type { RunningService, ServiceDefinition, ServiceLogger } from './service.js';

/** How a service's process ends. */
export const EXIT = {
  /** It was told to stop, and everything was finished or given back. */
  stopped: 0,
  /** It refused to start: the broker, the database or the port is not as it must be. */
  refused: 1,
  /** COUNTERSIGN_CONFIG is missing or wrong. */
  configuration: 2,
  /** Stopping failed, or the broker closed the connection for good. */
  broken: 3,
  /** The same signal twice. */
  forced: 130,
} as const;

/**
 * The whole of a service's process. SIGTERM and SIGINT drain it, and so does the end of the process that started it
 * over IPC, which is told `{ ready, url }` once it serves. Exit codes: `EXIT`.
 */
export async function runService(definition: ServiceDefinition): Promise<void> {
  const { service } = definition;
  const level = logLevel(process.env, 'info');
  const logger = makeLogger({ service, instance: `process ${process.pid}` }, level);
  let running: RunningService;
  try {
    running = await hostService(definition, await readConfig(process.env), { logLevel: level });
  } catch (error) {
    logger.error({ error }, 'refused to start');
    process.stderr.write(`${service} does not start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigError ? EXIT.configuration : EXIT.refused);
  }
  followSignals(running, logger);
  void running.lost.then((error) => {
    logger.error({ error }, 'the broker has closed the connection for good');
    process.exit(EXIT.broken);
  });
  process.send?.({ ready: service, url: running.url });
}

function followSignals(running: RunningService, logger: ServiceLogger): void {
  const seen = new Set<string>();
  const stop = (why: string): void => {
    if (seen.has(why)) process.exit(EXIT.forced); // another way of being told the same (a terminal signals the whole group) is not impatience
    seen.add(why);
    logger.info({ why }, 'stopping');
    running.close().then(() => process.exit(EXIT.stopped), (error: unknown) => {
      logger.error({ error }, 'stopping failed');
      process.exit(EXIT.broken);
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('the process that started this one has ended'));
}
