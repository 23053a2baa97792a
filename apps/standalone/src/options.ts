import { parseArgs } from 'node:util';

export interface StartOptions {
  /** Run the demonstration and exit. */
  readonly once: boolean;
  readonly demo: boolean;
  /** Every service in a process of its own instead of all in this one. */
  readonly processes: boolean;
  readonly help: boolean;
}

export const HELP = `npm start [-- options]

Starts the whole gate on this machine: NATS, PostgreSQL and every service, with data in .countersign.

  --once        run the demonstration once, then stop
  --no-demo     never run the demonstration (it runs by itself only on an empty state)
  --processes   every service in a process of its own, restarted when it dies
  --help        this text

Environment
  PORT                 HTTP port (default 8787; another free one is taken when the default is in use)
  COUNTERSIGN_STATE    folder of all data (default .countersign)
  DATABASE_URL         a PostgreSQL of yours instead of the embedded one
  NATS_SERVER_BIN      a nats-server of yours, 2.14 or newer
  COUNTERSIGN_LOG      level of the services' logs on standard error (default warn)`;

/** @throws TypeError naming the option that is not known */
export function parseOptions(argv: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'once': { type: 'boolean', default: false },
      'no-demo': { type: 'boolean', default: false },
      'processes': { type: 'boolean', default: false },
      'help': { type: 'boolean', default: false },
    },
  });
  return { once: values.once, demo: !values['no-demo'], processes: values.processes, help: values.help };
}
