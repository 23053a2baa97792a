import {
  AUTHOR_OF, HEADERS, STREAM_OF, eventSubject, planKey, sessionKey, tenantKey,
  type AggregateKey, type AnyEvent, type EventType, type LogStream,
} from '@countersign/contracts';
import type { StoredEventRaw } from '../src/raw-event.js';

export interface Told {
  /** Milliseconds after 1 March 2026. */
  readonly at?: number;
  readonly time?: string;
  readonly version?: string;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array;
  readonly subject?: string;
}

const START = Date.UTC(2026, 2, 1);
export const timeAt = (milliseconds: number): string => new Date(START + milliseconds).toISOString();

/** A log in memory that numbers what is told to it, as the streams would. */
export class Tale {
  readonly messages: StoredEventRaw[] = [];
  private readonly sequences: Record<LogStream, number> = { GATE: 0, CATALOG: 0 };
  private readonly revisions = new Map<string, number>();

  tell(key: AggregateKey, event: AnyEvent, told: Told = {}): StoredEventRaw {
    const rev = (this.revisions.get(`${key.tenant}.${key.id}`) ?? 0) + 1;
    this.revisions.set(`${key.tenant}.${key.id}`, rev);
    const stream = STREAM_OF[key.aggregate];
    const message: StoredEventRaw = {
      stream,
      sequence: (this.sequences[stream] += 1),
      subject: told.subject ?? eventSubject(key, AUTHOR_OF[event.type as EventType] ?? 'planner', rev),
      headers: {
        [HEADERS.specversion]: ['1.0'],
        [HEADERS.id]: [`e-${stream.toLowerCase()}-${this.sequences[stream]}`],
        [HEADERS.type]: [event.type],
        [HEADERS.version]: [told.version ?? '1'],
        [HEADERS.source]: ['/services/planner'],
        [HEADERS.time]: [told.time ?? timeAt(told.at ?? this.sequences[stream])],
        [HEADERS.tenant]: [key.tenant],
        [HEADERS.actor]: ['agent:claude'],
        [HEADERS.correlationId]: ['c1'],
        'Nats-Expected-Last-Subject-Sequence': ['7'],
        ...told.headers,
      },
      body: told.body ?? Buffer.from(JSON.stringify(event.data)),
    };
    this.messages.push(message);
    return message;
  }

  of(stream: LogStream): StoredEventRaw[] {
    return this.messages.filter((message) => message.stream === stream);
  }

  async *source(stream: LogStream, upTo: number): AsyncGenerator<StoredEventRaw> {
    for (const message of this.of(stream)) if (message.sequence <= upTo) yield message;
  }
}

export const session = (tenant: string, id = 'sabcdefgh1'): AggregateKey => sessionKey(tenant, id);
export const plan = (tenant: string, number: number, ofSession = 'sabcdefgh1'): AggregateKey => planKey(tenant, `${ofSession}-p${String(number).padStart(10, '0')}`);
export const tenant = (id: string): AggregateKey => tenantKey(id);
