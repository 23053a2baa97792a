import { EventPattern, MessagePattern } from '@nestjs/microservices';
import type { EventType } from '@countersign/contracts';

/** What a Nest handler is registered under. One handler a pattern in one service: a second one is refused at start. */
export type Pattern =
  | { readonly event: EventType }
  | { readonly timer: 'fired' }
  | { readonly outbox: 'due' }
  | { readonly command: string };

export const eventPattern = (event: EventType): Pattern => ({ event });
export const timerPattern: Pattern = { timer: 'fired' };
export const outboxPattern: Pattern = { outbox: 'due' };
export const commandPattern = (command: string): Pattern => ({ command });

/** One text a pattern: `event:plan.Proposed`, `timer:fired`, `command:propose`. Undefined: not a pattern of this transport. */
export function keyOf(pattern: Pattern): string;
export function keyOf(pattern: unknown): string | undefined;
export function keyOf(pattern: unknown): string | undefined {
  if (typeof pattern !== 'object' || pattern === null) return undefined;
  const [[kind, name] = [], ...more] = Object.entries(pattern);
  const known = more.length === 0 && (kind === 'event' || kind === 'timer' || kind === 'outbox' || kind === 'command') && typeof name === 'string';
  return known ? `${kind}:${name}` : undefined;
}

/**
 * A consumed event of one of these types. `@Payload() event: StoredEvent`, `@Ctx() delivery: Delivery`;
 * returns `Handled`. It is acknowledged when the returned promise resolves, so append before you return. An event of a type
 * without a handler is acknowledged and ignored.
 */
export const OnEvent = (...types: EventType[]): MethodDecorator => EventPattern(types.map(eventPattern));

/** A timer of this service has fired: `@Payload() timer: TimerFired`. At least once, never early. */
export const OnTimer = (): MethodDecorator => EventPattern(timerPattern);

/** A message of OUTBOX is to be delivered outside: `@Payload() message: LogMessage`. At least once. */
export const OnOutbox = (): MethodDecorator => EventPattern(outboxPattern);

/**
 * `cmd.<service>.<verb>`. `@Payload() command: Command<…>`; returns the `data` of the CommandReply or throws a GateError.
 * Anything else it throws is told as INTERNAL with an id under which the service's log has the rest.
 */
export const OnCommand = (verb: string): MethodDecorator => MessagePattern(commandPattern(verb));
