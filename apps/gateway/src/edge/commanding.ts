import type { CommandContext, CommandMap, CommandName } from '@countersign/contracts';
import type { Commands } from '../ports.js';
import { contextOf, type Asked } from './asked.js';

/** Sends commands in the name of a request's caller. */
export class Commanding {
  constructor(private readonly commands: Commands, private readonly clock: () => Date) {}

  /** RFC 3339, UTC. */
  now(): string {
    return this.clock().toISOString();
  }

  call<N extends CommandName>(name: N, payload: CommandMap[N][0], asked: Asked, options?: { readonly timeoutMs?: number }): Promise<CommandMap[N][1]> {
    return this.commands.call(name, payload, contextOf(asked), options);
  }

  /** For the operator, who belongs to no tenant. */
  callAs<N extends CommandName>(name: N, payload: CommandMap[N][0], context: CommandContext): Promise<CommandMap[N][1]> {
    return this.commands.call(name, payload, context);
  }
}
