import { LIMITS, type AggregateKey, type ItemId, type JsonObject, type TenantId, type VetoAnswer } from '@countersign/contracts';
import { currentInputOf, type ItemState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import type { BlobStore } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { VetoItem } from '@countersign/outbound';
import { inputOrNone, type TenantPolicy } from '@countersign/policy-view';
import type { VetoCaller } from './veto-caller.js';

/** What subscribers said while one message is handled, by item as it is now: a lost race does not ask them again. */
export class VetoAnswers {
  private readonly said = new Map<string, readonly VetoAnswer[]>();
  of = (item: ItemState): readonly VetoAnswer[] | undefined => this.said.get(roundOf(item));
  keep(item: ItemState, answers: readonly VetoAnswer[]): void {
    this.said.set(roundOf(item), answers);
  }
}

const roundOf = ({ itemId, corrections, round }: ItemState): string => `${itemId} ${corrections.length} ${round}`;

export interface Unasked {
  readonly key: AggregateKey;
  readonly items: readonly ItemState[];
  readonly session: SessionState;
  readonly policy: TenantPolicy;
  readonly signal: AbortSignal;
}

/** Asks a tenant's veto subscribers (`SEMANTICS` § 2, layer 7). Of one tenant only so many requests are under way, whatever they take. */
export class Vetoes {
  private readonly inFlight = new Map<TenantId, number>();

  constructor(private readonly call: VetoCaller, private readonly blobs: BlobStore) {}

  /**
   * All subscribers beside each other, each about all items.
   * @returns false when the tenant has as many requests under way as it may: nobody was asked, and the caller comes again
   * @throws GateError UNAVAILABLE when the message was lost meanwhile: the answers count for nothing
   */
  async ask(unasked: Unasked, answers: VetoAnswers): Promise<boolean> {
    const { tenant } = unasked.key;
    const subscribers = unasked.policy.tenant.subscribers.size;
    const running = this.inFlight.get(tenant) ?? 0;
    if (running > 0 && running + subscribers > LIMITS.vetoInFlight) return false;
    this.inFlight.set(tenant, running + subscribers);
    try {
      await this.askAll(unasked, answers);
    } finally {
      const left = (this.inFlight.get(tenant) ?? subscribers) - subscribers;
      if (left > 0) this.inFlight.set(tenant, left);
      else this.inFlight.delete(tenant);
    }
    return true;
  }

  private async askAll({ key, items, session, policy, signal }: Unasked, answers: VetoAnswers): Promise<void> {
    const round = 1 + Math.max(...items.map((item) => item.round));
    const request = { plan: key.id, round, tenant: key.tenant, session: key.session, agent: session.opened?.agent ?? '', items: await this.shown(key.tenant, items) };
    const said = (await Promise.all([...policy.tenant.subscribers.values()].map((subscriber) => this.call({ subscriber, request, tenant: policy.tenant, signal })))).flat();
    if (signal.aborted) throw new GateError('UNAVAILABLE', 'The lease on the message is over');
    const byItem = new Map<ItemId, VetoAnswer[]>(items.map(({ itemId }) => [itemId, []]));
    for (const answer of said) byItem.get(answer.itemId)?.push(answer);
    for (const item of items) answers.keep(item, byItem.get(item.itemId)!);
  }

  /** Inputs as long as there is room for them in a request; the caller leaves out what does not fit. */
  private async shown(tenant: TenantId, items: readonly ItemState[]): Promise<VetoItem[]> {
    const shown: VetoItem[] = [];
    let room: number = LIMITS.vetoRequestBytes;
    for (const item of items) {
      const { digest, bytes, value } = currentInputOf(item);
      const input = value ?? (bytes <= room ? await inputOrNone(item, { blobs: this.blobs, tenant }) : undefined);
      if (input !== undefined) room -= bytes;
      const { provider, name, kind, risk } = item.operation;
      shown.push({ itemId: item.itemId, provider, operation: name, kind, risk, inputDigest: digest, ...(input === undefined ? {} : { input: input as JsonObject }) });
    }
    return shown;
  }
}
