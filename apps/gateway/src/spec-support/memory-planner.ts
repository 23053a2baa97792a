import type { CommandContext, CommandMap, CommandName } from '@countersign/contracts';
import type { InMemoryBlobStore, InMemoryBroker } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { Commands } from '../ports.js';
import { memoryPlans } from './memory-plans.js';
import { memoryPolicies } from './memory-policies.js';
import { memoryRegistrations } from './memory-registrations.js';
import type { Call, Served } from './served.js';

/** Every decision of the domain over a log in memory: what planner and policy do with a command, without their machinery. */
export class MemoryPlanner implements Commands {
  readonly sent: { readonly name: CommandName; readonly payload: unknown; readonly context: CommandContext }[] = [];
  /** Answers or failures that a spec puts in the way. */
  readonly instead = new Map<CommandName, (payload: unknown, context: CommandContext) => Promise<unknown>>();
  private readonly served: Served;

  constructor(broker: InMemoryBroker, blobs: InMemoryBlobStore) {
    this.served = { ...memoryRegistrations(broker), ...memoryPolicies(broker, blobs), ...memoryPlans(broker) };
  }

  async call<N extends CommandName>(name: N, payload: CommandMap[N][0], context: CommandContext): Promise<CommandMap[N][1]> {
    // What travels is JSON.
    const sent = JSON.parse(JSON.stringify(payload)) as CommandMap[N][0];
    // The gateway's own questions (health, lag) come at any moment.
    if (context.principal !== 'gateway') this.sent.push({ name, payload: sent, context });
    const serve = (this.instead.get(name) ?? this.served[name]) as Call<N> | undefined;
    if (!serve) throw new GateError('UNAVAILABLE', `Nobody serves ${name}`);
    return serve(sent, context);
  }
}
