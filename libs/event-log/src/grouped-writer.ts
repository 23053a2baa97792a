import { LIMITS, keyText, type AggregateKey, type AnyEvent, type EventMeta } from '@countersign/contracts';
import { GateError, isGateError } from '@countersign/kernel';
import type { AggregateStore, Transacted } from './aggregate-store.js';
import type { Position } from './event-log.js';

/** What is decided for several commands on one fold: at most one event, and each command's own reply, in their order. */
export interface GroupDecision<Event extends AnyEvent, Reply> {
  readonly event?: Event;
  /** A GateError refuses its command only. */
  readonly replies: readonly (Reply | GateError)[];
}

export interface GroupedWriterOptions<State, Event extends AnyEvent, Command, Reply> {
  readonly store: AggregateStore<State, Event>;
  /** Pure but for what its commands bring; may be asked again on a newer fold. */
  readonly decideMany: (state: State, commands: readonly Command[], position: Position) => GroupDecision<Event, Reply>;
  /** Of the one event that stands for all of them. */
  readonly meta: (commands: readonly Command[]) => EventMeta;
  /** For what reports an effect: never BUSY. */
  readonly untilItLands?: boolean;
  /** Waits so long for company before the first append; 0 (the default) groups only what waits for an append in flight. */
  readonly lingerMs?: number;
  readonly maxItems?: number;
}

export interface WriteOptions {
  /** As in `TransactOptions`. */
  readonly atLeast?: number;
}

interface Waiting<Command, Reply> {
  readonly command: Command;
  readonly atLeast?: number;
  readonly resolve: (written: Transacted<Reply>) => void;
  readonly reject: (error: unknown) => void;
}

interface Line<Command, Reply> {
  readonly key: AggregateKey;
  readonly waiting: Waiting<Command, Reply>[];
}

/**
 * One writer per aggregate in the process: what arrives while an append is in flight is decided together on one fold and
 * appended once. Must not be used for commands whose order matters to anybody but the aggregate itself.
 */
export class GroupedWriter<State, Event extends AnyEvent, Command, Reply> {
  private readonly lines = new Map<string, Line<Command, Reply>>();
  private readonly maxItems: number;

  constructor(private readonly options: GroupedWriterOptions<State, Event, Command, Reply>) {
    this.maxItems = options.maxItems ?? LIMITS.groupItems;
  }

  /**
   * The command's own reply, once what it led to is durable (or nothing was to be done).
   * @throws the GateError that refuses this command; BUSY, UNAVAILABLE
   */
  write(key: AggregateKey, command: Command, { atLeast }: WriteOptions = {}): Promise<Transacted<Reply>> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting<Command, Reply> = { command, ...(atLeast === undefined ? {} : { atLeast }), resolve, reject };
      const line = this.lines.get(keyText(key));
      if (line) {
        line.waiting.push(waiting);
        return;
      }
      const opened = { key, waiting: [waiting] };
      this.lines.set(keyText(key), opened);
      void this.serve(opened);
    });
  }

  /** Until nobody waits. Never rejects: each caller hears of its own failure. */
  private async serve(line: Line<Command, Reply>): Promise<void> {
    await this.linger();
    while (line.waiting.length > 0) await this.writeGroup(line.key, line.waiting.splice(0, this.maxItems));
    this.lines.delete(keyText(line.key));
  }

  private linger(): Promise<void> | undefined {
    const ms = this.options.lingerMs ?? 0;
    return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
  }

  private async writeGroup(key: AggregateKey, group: readonly Waiting<Command, Reply>[]): Promise<void> {
    try {
      settle(group, await this.transact(key, group));
    } catch (error) {
      if (group.length === 1 || isGateError(error, 'BUSY', 'UNAVAILABLE')) {
        for (const member of group) member.reject(error);
        return;
      }
      await this.writeHalves(key, group);
    }
  }

  /** Too large for one event, or one of them cannot be decided: the others must not suffer for it. */
  private async writeHalves(key: AggregateKey, group: readonly Waiting<Command, Reply>[]): Promise<void> {
    const middle = Math.ceil(group.length / 2);
    await this.writeGroup(key, group.slice(0, middle));
    await this.writeGroup(key, group.slice(middle));
  }

  private transact(key: AggregateKey, group: readonly Waiting<Command, Reply>[]): Promise<Transacted<readonly (Reply | GateError)[]>> {
    const { store, decideMany, meta, untilItLands } = this.options;
    const commands = group.map((member) => member.command);
    const atLeast = Math.max(0, ...group.map((member) => member.atLeast ?? 0));
    return store.transact(key, ({ state, position }) => {
      const { event, replies } = decideMany(state, commands, position);
      if (replies.length !== commands.length) throw new Error(`${commands.length} commands were given ${replies.length} replies`);
      return { ...(event ? { event } : {}), reply: replies };
    }, { meta: meta(commands), ...(atLeast > 0 ? { atLeast } : {}), ...(untilItLands ? { untilItLands } : {}) });
  }
}

function settle<Command, Reply>(group: readonly Waiting<Command, Reply>[], written: Transacted<readonly (Reply | GateError)[]>): void {
  for (const [index, member] of group.entries()) {
    const reply = written.reply[index] as Reply | GateError;
    if (reply instanceof GateError) member.reject(reply);
    else member.resolve({ reply, position: written.position, appended: written.appended });
  }
}
