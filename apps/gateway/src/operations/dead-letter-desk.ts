import type { CommandContext, DeadLetter, ServiceName, TenantId } from '@countersign/contracts';
import type { DeadLetterView, RetriedView, RetryFailureView } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { problemOf } from '../edge/problem.js';
import type { DeadLetters, LetterMessage } from '../ports.js';
import { eventView } from '../stream/event-view.js';

/** A message, and of whose deliveries of it the talk is. */
export interface Which { readonly stream: string; readonly sequence: number; readonly service?: string }

interface Letter { readonly letter: DeadLetter; readonly message: LetterMessage }

/** Whose a message is never changes, so it is asked once. */
const OWNERS_KEPT = 10_000;

/** Whose letters: a tenant's, or those of which nobody can say whose they are, which are the operator's. */
export type Owner = TenantId | undefined;

/** Dead letters of one owner. Anybody else's are not there for him. */
export class DeadLetterDesk {
  private readonly owners = new Map<string, TenantId>();

  constructor(private readonly letters: DeadLetters) {}

  /** Oldest first, unresolved ones only. */
  async list(owner: Owner): Promise<DeadLetterView[]> {
    const open = (await this.letters.list()).filter((letter) => letter.resolvedAt === undefined);
    const own: DeadLetterView[] = [];
    for (const letter of open) if ((await this.ownerOf(letter)) === owner) own.push(letterView({ letter, message: {} }));
    return own;
  }

  /** With its event. Of several services the one that is named, else one that still has to be dealt with. @throws GateError DEAD_LETTER_UNKNOWN */
  async show(owner: Owner, which: Which): Promise<DeadLetterView> {
    const found = await this.find(owner, which);
    return letterView(found.find(isOpen) ?? found[0]!);
  }

  /**
   * The named service's, else each service's, at once: one that fails again does not keep the others from theirs.
   * @throws GateError ALREADY_RESOLVED, or why it failed again when no service took it
   */
  async retry(owner: Owner, which: Which, context: CommandContext): Promise<RetriedView> {
    const { stream, sequence } = which;
    const found = (await this.find(owner, which)).filter(isOpen);
    if (found.length === 0) throw new GateError('ALREADY_RESOLVED', `A retry of ${stream}:${sequence} has succeeded before`);
    const tries: readonly Try[] = await Promise.all(found.map(({ letter: { service } }) => this.letters.retry(service, stream, sequence, context).then(
      () => ({ service }), (error: unknown) => ({ service, error }))));
    const failed = tries.filter((one) => 'error' in one);
    if (failed.length === tries.length) throw failed[0]!.error;
    return { stream, sequence, services: tries.filter((one) => !('error' in one)).map(({ service }) => service), failures: failed.map(failureView) };
  }

  /** At least one. */
  private async find(owner: Owner, { stream, sequence, service }: Which): Promise<Letter[]> {
    const letters = (await this.letters.list()).filter((letter) => (
      letter.stream === stream && letter.sequence === sequence && (service === undefined || letter.service === service)));
    const message = letters.length === 0 ? undefined : await this.letters.message(stream, sequence);
    if (letters.length === 0 || message?.tenant !== owner) throw new GateError('DEAD_LETTER_UNKNOWN');
    return letters.map((letter) => ({ letter, message: message ?? {} }));
  }

  private async ownerOf({ stream, sequence }: DeadLetter): Promise<TenantId | undefined> {
    const name = `${stream}:${sequence}`;
    const known = this.owners.get(name) ?? (await this.letters.message(stream, sequence))?.tenant;
    if (this.owners.size >= OWNERS_KEPT) this.owners.clear();
    if (known !== undefined) this.owners.set(name, known);
    return known;
  }
}

interface Try { readonly service: ServiceName; readonly error?: unknown }

/** As the edge would tell it if it were the answer. */
function failureView({ service, error }: Try): RetryFailureView {
  const { problem } = problemOf(error, '');
  return { service, code: problem.code, message: problem.detail ?? problem.title };
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
