import type { FastifyReply } from 'fastify';
import { LOG_STREAMS, tenantFilter, type StoredEvent } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import type { KeyRing } from '../auth/key-ring.js';
import type { Asked } from '../edge/asked.js';
import { problemOf, refusalOf } from '../edge/problem.js';
import { textFrom, type Query } from '../edge/query.js';
import { START, formatCursor, parseCursor, type Cursor } from './cursor.js';
import { UNREADABLE, eventName } from './event-name.js';
import { eventView } from './event-view.js';
import { LogFollower, type FollowParts, type Followed, type Scope, type Unreadable } from './log-follower.js';
import { SseWriter } from './sse-writer.js';

export interface StartFrom { readonly query: Query; readonly lastId: string | undefined }

/** What a reader is told of one event. */
export interface StreamedEvent { readonly name: string; readonly data: object }
/** Undefined: this build cannot read its body. `nothing`: it is none of this reader's. */
export type Telling = (event: StoredEvent) => StreamedEvent | 'nothing' | undefined;

/** Keeps event streams open as long as their reader, their key and this process last. */
export class EventStreaming {
  private open = 0;

  constructor(private readonly parts: FollowParts, private readonly keys: KeyRing, private readonly logger: ServiceLogger) {}

  get size(): number {
    return this.open;
  }

  /** @throws GateError CURSOR_INVALID, INVALID_REQUEST, UNAVAILABLE, before anything is written */
  async stream(asked: Asked, scope: Scope, from: StartFrom, reply: FastifyReply, tell: Telling = asItStands): Promise<void> {
    const cursor = await this.startOf(asked, scope, from);
    const over = new AbortController();
    const end = (): void => over.abort();
    const leave = this.keys.whenRevoked(asked.caller, end);
    asked.signal.addEventListener('abort', end);
    if (asked.signal.aborted) end();
    reply.hijack();
    const writer = new SseWriter(reply.raw);
    this.open += 1;
    try {
      writer.open({ 'x-correlation-id': asked.trace.correlationId });
      await this.writeAll({ asked, tell, writer }, new LogFollower(this.parts, scope, cursor), over.signal, cursor);
    } catch (error) {
      await this.tellProblem(asked, writer, error);
    } finally {
      this.open -= 1;
      leave();
      asked.signal.removeEventListener('abort', end);
      writer.end();
    }
  }

  private async writeAll(to: Reader, follower: LogFollower, signal: AbortSignal, cursor: Cursor): Promise<void> {
    if (!(await to.writer.cursor(formatCursor(cursor)))) return;
    for await (const followed of follower.follow(signal)) {
      if (signal.aborted || !(await this.write(to, followed))) return;
    }
  }

  /** In a quiet moment it is also seen whether the key still holds. */
  private async write({ asked, tell, writer }: Reader, { event, unreadable, cursor }: Followed): Promise<boolean> {
    const shown = event ? told(tell, event) : undefined;
    if (shown === 'nothing') return true;
    if (shown) return writer.event(formatCursor(cursor), shown.name, shown.data);
    const place = unreadable ?? event;
    if (place) return this.writeUnreadable(asked, place, formatCursor(cursor), writer);
    return (await this.keys.stillHolds(asked.caller)) && (await writer.keepAlive());
  }

  private writeUnreadable(asked: Asked, { stream, sequence }: Unreadable, cursor: string, writer: SseWriter): Promise<boolean> {
    this.logger.warn({ correlationId: asked.trace.correlationId, code: 'EVENT_UNREADABLE', stream, sequence }, 'an event stream passes an event that cannot be read');
    return writer.event(cursor, UNREADABLE, { stream, sequence });
  }

  private async tellProblem(asked: Asked, writer: SseWriter, error: unknown): Promise<void> {
    const { correlationId } = asked.trace;
    this.logger.warn({ correlationId, code: refusalOf(error).code }, `an event stream ended: ${error instanceof Error ? error.message : 'no error'}`);
    await writer.problem(problemOf(error, correlationId).problem);
  }

  private async startOf(asked: Asked, scope: Scope, { query, lastId }: StartFrom): Promise<Cursor> {
    const text = lastId !== undefined && lastId !== '' ? lastId : textFrom(query, 'cursor', 200) ?? 'now';
    if (text === 'start') return START;
    return text === 'now' ? this.now(scope) : this.reached(asked, parseCursor(text));
  }

  /** Of another log, or of one that was put back: it would pass over what is still to come. @throws GateError CURSOR_INVALID */
  private async reached(asked: Asked, cursor: Cursor): Promise<Cursor> {
    for (const stream of LOG_STREAMS) {
      const last = cursor[stream] === 0 ? 0 : await this.parts.log.lastSequence(stream, tenantFilter(asked.caller.tenant));
      if (cursor[stream] > last) throw new GateError('CURSOR_INVALID', 'The cursor is beyond the end of the log');
    }
    return cursor;
  }

  private async now(scope: Scope): Promise<Cursor> {
    const cursor: Record<keyof Cursor, number> = { ...START };
    for (const stream of scope.streams) cursor[stream] = await this.parts.log.lastSequence(stream, scope.filter);
    return cursor;
  }
}

interface Reader { readonly asked: Asked; readonly tell: Telling; readonly writer: SseWriter }

/** The event itself, under its name. */
function asItStands(event: StoredEvent): StreamedEvent {
  const data = eventView(event);
  return { name: eventName(data), data };
}

/** Undefined when its body has not the shape of its type: that is not read either. */
function told(tell: Telling, event: StoredEvent): ReturnType<Telling> {
  try {
    return tell(event);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
