import type { Command } from 'commander';
import type { CountersignClient } from '@countersign/sdk';
import { connectionOf, toldOf, type Connection, type ConnectionFlags } from './connection.js';

/** What every command needs: the gate, and a way to say things as text or as JSON. */
export interface Shell {
  readonly root: string;
  readonly json: boolean;
  client(): CountersignClient;
  /** In the name of the installation's operator. */
  operator(): CountersignClient;
  /** The gate that `client()` talks to. */
  connection(): Connection;
  /** An error in words that fit where the gate was looked for. */
  told(error: unknown): unknown;
  /** With --json the value as it is, else the text. */
  print(value: unknown, text: () => string): void;
  say(line: string): void;
}

export function makeShell(program: Command, root: string): Shell {
  const flags = (): ConnectionFlags => program.opts<ConnectionFlags>();
  let used: Connection | undefined;
  const connection = (): Connection => (used ??= connectionOf(flags(), root));
  const operator = (): Connection => (used = connectionOf(flags(), root, process.env, 'operator'));
  return {
    root,
    connection,
    get json() { return flags().json === true; },
    client: () => connection().client(),
    operator: () => operator().client(),
    told: (error) => (used ? toldOf(error, used) : error),
    print: (value, text) => console.log(flags().json ? JSON.stringify(value, null, 2) : text()),
    say: (line) => console.log(line),
  };
}
