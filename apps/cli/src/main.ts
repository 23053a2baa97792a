import { Command } from 'commander';
import { CountersignError } from '@countersign/sdk';
import { keyCommands, providerCommands, sessionCommands } from './commands/catalogue.js';
import { demoCommand } from './commands/demo.js';
import { auditCommands, deadLetterCommands } from './commands/operating.js';
import { approvalCommands, grantCommands } from './commands/people.js';
import { planCommands } from './commands/plan.js';
import { policyCommands } from './commands/policy.js';
import { endpointCommands, freezeCommands, settingsCommands } from './commands/tenant-care.js';
import { projectRoot } from './local-state.js';
import { oneLine } from './render/terminal.js';
import { makeShell } from './shell.js';

/** @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('countersign')
    .description('The plan/apply gate for fleets of AI agents. Uses the gate that `npm start` runs here unless told otherwise.')
    .option('--url <url>', 'address of the gate (COUNTERSIGN_URL)')
    .option('--key <key>', 'API key (COUNTERSIGN_KEY)')
    .option('--json', 'answers as JSON')
    .showHelpAfterError()
    .exitOverride();
  const shell = makeShell(program, projectRoot());
  process.stdout.on('error', endWithoutReader);
  demoCommand(program, shell);
  planCommands(program, shell);
  sessionCommands(program, shell);
  providerCommands(program, shell);
  policyCommands(program, shell);
  approvalCommands(program, shell);
  grantCommands(program, shell);
  freezeCommands(program, shell);
  settingsCommands(program, shell);
  endpointCommands(program, shell);
  auditCommands(program, shell);
  deadLetterCommands(program, shell);
  keyCommands(program, shell);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    return explain(shell.told(error));
  }
}

/** Who reads our output has enough of it (`… | head`). */
function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** @returns the exit code: 2 for a wrong call, 1 for everything that went wrong. Help is no error. */
function explain(error: unknown): number {
  if (error instanceof CountersignError) {
    console.error(`${error.code}: ${oneLine(error.message, 2_000)}`);
    if (error.details !== undefined) console.error(oneLine(JSON.stringify(error.details), 4_000));
    if (error.correlationId) console.error(`(request ${error.correlationId})`);
    return 1;
  }
  const { exitCode, code } = error as { exitCode?: number; code?: string };
  if (code?.startsWith('commander.')) return exitCode === 0 ? 0 : 2;
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
}
