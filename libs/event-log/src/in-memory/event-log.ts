import { randomUUID } from 'node:crypto';
import { keyText, streamOf, type AggregateKey, type AnyEvent, type LogStream, type NewEvent, type ServiceName, type StoredEvent } from '@countersign/contracts';
import { checkKey, prepareAppend } from '../append-rules.js';
import { decodeEvent } from '../event-codec.js';
import { NOWHERE, type AppendResult, type EventLog, type Loaded, type Position } from '../event-log.js';
import { gapless } from '../gapless.js';
import { subjectMatches } from '../subject-match.js';
import { InMemoryBroker } from './broker.js';

/** The log as one author sees it, over a broker in memory. Keeps the same contract as every other implementation. */
export class InMemoryEventLog implements EventLog {
  constructor(
    readonly author: ServiceName,
    readonly broker: InMemoryBroker = new InMemoryBroker(),
    private readonly now: () => Date = () => new Date(),
  ) {}

  async load<E extends AnyEvent>(key: AggregateKey, after: Position = NOWHERE): Promise<Loaded<E>> {
    checkKey(key);
    const newer = this.broker.visible(streamOf(key), keyText(key)).filter((raw) => raw.sequence > after.sequence);
    return gapless<E>(key, after, newer.map(decodeEvent));
  }

  async end(key: AggregateKey): Promise<Position> {
    checkKey(key);
    const last = this.broker.of(keyText(key)).at(-1);
    return last ? { rev: Number(last.subject.slice(last.subject.lastIndexOf('.') + 1)), sequence: last.sequence } : NOWHERE;
  }

  async lastSequence(stream: LogStream, filter: string): Promise<number> {
    return this.broker.last(stream, (subject) => subjectMatches(filter, subject));
  }

  async* follow(stream: LogStream, filter: string, afterSequence: number): AsyncGenerator<StoredEvent> {
    yield* this.broker.matching(stream, (subject) => subjectMatches(filter, subject)).filter((raw) => raw.sequence > afterSequence).map(decodeEvent);
  }

  async append<E extends AnyEvent>(key: AggregateKey, expected: Position, event: NewEvent<E>): Promise<AppendResult> {
    const encoded = prepareAppend(this.author, key, expected, event, { id: randomUUID(), time: this.now().toISOString() });
    const last = this.broker.of(keyText(key)).at(-1);
    if ((last?.sequence ?? 0) !== expected.sequence) return { appended: false, conflict: true };
    return { appended: true, position: { rev: expected.rev + 1, sequence: this.broker.store(streamOf(key), encoded) } };
  }
}
