import type { Command } from 'commander';
import type { CountersignClient } from '@countersign/sdk';
import { connect, type ConnectionFlags } from './connection.js';

/** What every command needs: the gate, and a way to say things as text or as JSON. */
export interface Shell {
  readonly root: string;
  readonly json: boolean;
  client(): CountersignClient;
  /** With --json the value as it is, else the text. */
  print(value: unknown, text: () => string): void;
  say(line: string): void;
}

export function makeShell(program: Command, root: string): Shell {
  const flags = (): ConnectionFlags => program.opts<ConnectionFlags>();
  return {
    root,
    get json() { return flags().json === true; },
    client: () => connect(flags(), root),
    print: (value, text) => console.log(flags().json ? JSON.stringify(value, null, 2) : text()),
    say: (line) => console.log(line),
  };
}
