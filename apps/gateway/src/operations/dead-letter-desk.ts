import type { CommandContext, DeadLetter, TenantId } from '@countersign/contracts';
import type { DeadLetterView, RetriedView } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import type { DeadLetters, LetterMessage } from '../ports.js';
import { eventView } from '../stream/event-view.js';

/** A message, and of whose deliveries of it the talk is. */
export interface Which { readonly stream: string; readonly sequence: number; readonly service?: string }

interface Letter { readonly letter: DeadLetter; readonly message: LetterMessage }

/** Whose a message is never changes, so it is asked once. */
const OWNERS_KEPT = 10_000;

/** Dead letters of one tenant. A letter whose message names no tenant, or another one, is not there for anybody here. */
export class DeadLetterDesk {
  private readonly owners = new Map<string, TenantId>();

  constructor(private readonly letters: DeadLetters) {}

  /** Oldest first, unresolved ones only. */
  async list(tenant: TenantId): Promise<DeadLetterView[]> {
    const open = (await this.letters.list()).filter((letter) => letter.resolvedAt === undefined);
    const own: DeadLetterView[] = [];
    for (const letter of open) if ((await this.ownerOf(letter)) === tenant) own.push(letterView({ letter, message: {} }));
    return own;
  }

  /** With its event. Of several services the one that is named, else one that still has to be dealt with. @throws GateError DEAD_LETTER_UNKNOWN */
  async show(tenant: TenantId, which: Which): Promise<DeadLetterView> {
    const found = await this.find(tenant, which);
    return letterView(found.find(isOpen) ?? found[0]!);
  }

  /** The named service's, else each service's in turn. @throws GateError ALREADY_RESOLVED, or why the first one failed again */
  async retry(context: CommandContext, which: Which): Promise<RetriedView> {
    const { stream, sequence } = which;
    const found = (await this.find(context.tenant, which)).filter(isOpen);
    if (found.length === 0) throw new GateError('ALREADY_RESOLVED', `A retry of ${stream}:${sequence} has succeeded before`);
    const services: string[] = [];
    for (const { letter } of found) {
      await this.letters.retry(letter.service, stream, sequence, context);
      services.push(letter.service);
    }
    return { stream, sequence, services };
  }

  /** At least one. */
  private async find(tenant: TenantId, { stream, sequence, service }: Which): Promise<Letter[]> {
    const letters = (await this.letters.list()).filter((letter) => (
      letter.stream === stream && letter.sequence === sequence && (service === undefined || letter.service === service)));
    const message = letters.length === 0 ? undefined : await this.letters.message(stream, sequence);
    if (message?.tenant !== tenant) throw new GateError('DEAD_LETTER_UNKNOWN');
    return letters.map((letter) => ({ letter, message }));
  }

  private async ownerOf({ stream, sequence }: DeadLetter): Promise<TenantId | undefined> {
    const name = `${stream}:${sequence}`;
    const known = this.owners.get(name) ?? (await this.letters.message(stream, sequence))?.tenant;
    if (this.owners.size >= OWNERS_KEPT) this.owners.clear();
    if (known !== undefined) this.owners.set(name, known);
    return known;
  }
}

const isOpen = ({ letter }: Letter): boolean => letter.resolvedAt === undefined;

function letterView({ letter, message }: Letter): DeadLetterView {
  const { stream, sequence, service, kind, reason, deliveries, at, retries, retryingUntil, resolvedAt } = letter;
  return {
    stream, sequence, service, kind, reason, deliveries, at, retries,
    ...(retryingUntil === undefined ? {} : { retryingUntil }), ...(resolvedAt === undefined ? {} : { resolvedAt }),
    ...(message.event ? { event: eventView(message.event) } : {}),
  };
}
