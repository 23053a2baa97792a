import type { JsonObject } from '@countersign/contracts';
import type { ItemState } from '@countersign/domain-plan';
import { canonicalJson } from '@countersign/kernel';

/**
 * What an item must have for itself while it runs (`SEMANTICS` § 4, concurrency). Undefined: nothing.
 * A read takes a lock only where its operation names key fields.
 */
export function lockDomainOf(where: { readonly tenant: string; readonly session: string }, item: ItemState, input: JsonObject): string | undefined {
  const { provider, name, kind, concurrency } = item.operation;
  if (concurrency?.keyFields) {
    const values = concurrency.keyFields.map((field) => input[field] ?? null);
    return `key ${where.tenant} ${provider} ${name} ${canonicalJson(values)}`;
  }
  if (concurrency?.safe || kind !== 'resource') return undefined;
  return `provider ${where.tenant} ${where.session} ${provider}`;
}

export interface Held {
  /** Whether it had to wait, so that what was checked before may have changed. */
  readonly waited: boolean;
  release(): void;
}

/** Locks of this process, given in the order in which they were asked for. */
export class LockDomains {
  private readonly lines = new Map<string, (() => void)[]>();

  /** @returns undefined when the signal aborted first; then nothing is held */
  async acquire(domain: string | undefined, signal: AbortSignal): Promise<Held | undefined> {
    if (signal.aborted) return undefined;
    if (domain === undefined) return { waited: false, release: () => undefined };
    const line = this.lines.get(domain);
    if (!line) {
      this.lines.set(domain, []);
      return { waited: false, release: () => this.release(domain) };
    }
    const held = await this.wait(line, signal);
    return held ? { waited: true, release: () => this.release(domain) } : undefined;
  }

  private async wait(line: (() => void)[], signal: AbortSignal): Promise<boolean> {
    return await new Promise<boolean>((resolve) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        line.splice(line.indexOf(turn), 1);
        resolve(false);
      };
      line.push(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  private release(domain: string): void {
    const next = this.lines.get(domain)?.shift();
    if (next) next();
    else this.lines.delete(domain);
  }
}
