import type { Accepted, CommandContext, CommandMap, CommandName, EventMeta } from '@countersign/contracts';
import type { Transacted } from '@countersign/event-log';

export type Call<N extends CommandName> = (payload: CommandMap[N][0], context: CommandContext) => Promise<CommandMap[N][1]>;
export type Served = { readonly [N in CommandName]?: Call<N> };

export const metaOf = (of: Omit<CommandContext, 'tenant'>): { meta: EventMeta } => ({ meta: { actor: `person:${of.principal}`, correlationId: of.correlationId } });

export function accepted({ reply, position }: Transacted<{ readonly repeated: boolean; readonly version?: number }>): Accepted {
  return { sequence: position.sequence, ...(reply.repeated ? { repeated: true } : {}), ...(reply.version === undefined ? {} : { version: reply.version }) };
}
