import { LIMITS, aggregateFilter, tenantKey, type StoredEvent, type TenantEvent, type TenantId } from '@countersign/contracts';
import { activeKey, type TenantState } from '@countersign/domain-tenant';
import type { AggregateStore } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { LiveFeed } from '../ports.js';
import { parseApiKey, secretMatches, type ApiKey } from './api-key.js';
import type { Caller } from './caller.js';

export type Tenants = Pick<AggregateStore<TenantState, TenantEvent>, 'fresh'>;

/** Put to the leader; who asks meanwhile shares the one after it, which begins when this one is over. */
interface Question { readonly answer: Promise<TenantState>; next?: Promise<TenantState>; overtaken?: true }

interface Known { readonly tenant: TenantState; readonly until: number }

/**
 * Verifies API keys. A tenant's keys are relied on for at most `LIMITS.keyCacheMs`, and not at all once the live feed
 * says that they changed; "no" is only said on what the log's leader has.
 */
export class KeyRing {
  private readonly known = new Map<TenantId, Known>();
  private readonly asking = new Map<TenantId, Question>();
  /** One for each tenant that ever had a valid key asked for here; forgotten together with what is known. */
  private readonly listening = new Map<TenantId, () => void>();

  constructor(private readonly tenants: Tenants, private readonly feed: LiveFeed, private readonly nowMs: () => number = () => performance.now()) {}

  close(): void {
    for (const leave of this.listening.values()) leave();
    this.listening.clear();
    this.known.clear();
  }

  /** @throws GateError UNAUTHENTICATED, which never says what was wrong; UNAVAILABLE when the log cannot be asked */
  async authenticate(token: string | undefined): Promise<Caller> {
    const key = token === undefined ? undefined : parseApiKey(token);
    if (!key) throw new GateError('UNAUTHENTICATED');
    const known = this.relied(key.tenant);
    const caller = (known && callerOf(key, known)) ?? callerOf(key, await this.ask(key.tenant));
    if (!caller) throw new GateError('UNAUTHENTICATED');
    return caller;
  }

  /** Whether the key that was verified before has not been revoked since, as the leader has it. */
  async stillHolds(caller: Caller): Promise<boolean> {
    return activeKey(await this.ask(caller.tenant), caller.keyId) !== undefined;
  }

  /** For a request that lasts: calls `then` soon after the key was revoked. Returns the way out. */
  whenRevoked(caller: Caller, then: () => void): () => void {
    const look = async (): Promise<void> => { if (!(await this.stillHolds(caller).catch(() => true))) then(); };
    return this.feed.listen(aggregateFilter(tenantKey(caller.tenant)), {
      event: (event: StoredEvent) => { if (event.type === 'tenant.KeyRevoked' && event.data.keyId === caller.keyId) then(); },
      missed: () => { void look(); },
    });
  }

  /** What this process has just had changed itself, or heard of. */
  forget(tenant: TenantId): void {
    this.known.delete(tenant);
    const question = this.asking.get(tenant);
    if (question) question.overtaken = true;
  }

  private relied(tenant: TenantId): TenantState | undefined {
    const known = this.known.get(tenant);
    return known && known.until > this.nowMs() ? known.tenant : undefined;
  }

  /**
   * One question at a time to the leader for each tenant, whoever asks; nobody is given an answer that is older than his
   * question, since a key may have been issued or revoked in between. An answer that was overtaken is not kept.
   */
  private ask(tenant: TenantId): Promise<TenantState> {
    const running = this.asking.get(tenant);
    if (!running) return this.begin(tenant);
    const afterIt = (): Promise<TenantState> => this.asking.get(tenant)?.answer ?? this.begin(tenant);
    return (running.next ??= running.answer.then(afterIt, afterIt));
  }

  private begin(tenant: TenantId): Promise<TenantState> {
    const answer = this.tenants.fresh(tenantKey(tenant)).then(({ state }) => {
      if (!question.overtaken && state.registered) this.keep(tenant, state);
      return state;
    }).finally(() => { if (this.asking.get(tenant) === question) this.asking.delete(tenant); });
    const question: Question = { answer };
    this.asking.set(tenant, question);
    return answer;
  }

  private keep(tenant: TenantId, state: TenantState): void {
    if (this.listening.size >= LIMITS.foldCacheEntries) this.close();
    if (!this.listening.has(tenant)) {
      const forget = (): void => this.forget(tenant);
      this.listening.set(tenant, this.feed.listen(aggregateFilter(tenantKey(tenant)), { event: forget, missed: forget }));
      // What changed between the question and this moment was not heard: the next request asks once more.
      return;
    }
    this.known.set(tenant, { tenant: state, until: this.nowMs() + LIMITS.keyCacheMs });
  }
}

function callerOf(key: ApiKey, tenant: TenantState): Caller | undefined {
  const record = activeKey(tenant, key.keyId);
  if (!secretMatches(key.secret, record?.secretHash) || !record) return undefined;
  return { tenant: key.tenant, principal: record.principal, roles: record.roles, groups: record.groups ?? [], keyId: record.keyId };
}
