import { LIMITS, type ItemId, type JsonObject, type PlanId, type RiskClass, type SessionId, type TenantId, type ToolKind, type VetoAnswer, type VetoSubscriber } from '@countersign/contracts';
import { isGateError } from '@countersign/kernel';
import { guardedFetch, type GuardedFetch } from './guarded-fetch.js';
import { signWebhook } from './sign-webhook.js';
import { readVetoAnswer, type Said } from './veto-answer.js';

/** What a subscriber is told of one item. `input` is left out, and `inputOmitted` said, where it is too long. */
export interface VetoItem {
  readonly itemId: ItemId;
  readonly provider: string;
  readonly operation: string;
  readonly kind: ToolKind;
  readonly risk: RiskClass;
  readonly inputDigest: string;
  readonly input?: JsonObject;
}

export interface VetoRequest {
  readonly plan: PlanId;
  readonly round: number;
  readonly tenant: TenantId;
  readonly session: SessionId;
  readonly agent: string;
  readonly items: readonly VetoItem[];
}

export interface VetoOptions {
  /** `endpointSecret` of kind `veto`. */
  readonly secret: string;
  /** Whether the tenant may run processes on this machine. */
  readonly allowLoopback: boolean;
  /** Gives it up: every item `failed`. */
  readonly signal?: AbortSignal;
  /** Default: the real one. */
  readonly fetch?: GuardedFetch;
}

/**
 * Asks one subscriber about the items of one round; one answer an item, in their order. Never throws for what the
 * subscriber or the network do: what is not a whole and timely answer is `failed`, which denies. It does not bound how many
 * are under way, and its messages are strangers' words: the caller does, and shows them as such.
 */
export async function askVeto(subscriber: VetoSubscriber, request: VetoRequest, options: VetoOptions): Promise<VetoAnswer[]> {
  const started = performance.now();
  const said = await saidBy(subscriber, request, options);
  const tookMs = Math.round(performance.now() - started);
  return request.items.map(({ itemId }) => ({ subscriber: subscriber.name, itemId, ...(said.get(itemId) ?? { says: 'failed', message: 'it did not answer about this item' }), tookMs }));
}

async function saidBy(subscriber: VetoSubscriber, request: VetoRequest, { secret, allowLoopback, signal, fetch = guardedFetch }: VetoOptions): Promise<ReadonlyMap<string, Said>> {
  const body = JSON.stringify({ ...request, items: withBoundedInputs(request.items) });
  const id = `veto_${request.plan}_${request.round}_${subscriber.name}`;
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...signWebhook(secret, { id, timestamp: Math.floor(Date.now() / 1_000), body }) };
    const { status, body: answer } = await fetch({
      url: subscriber.url, method: 'POST', headers, body, allowLoopback,
      deadlineMs: subscriber.deadlineMs, maxBytes: LIMITS.vetoAnswerBytes, ...(signal ? { signal } : {}),
    });
    if (status >= 300) return allFailed(request, `it answered with status ${status}`);
    return readVetoAnswer(answer.toString('utf8'), request.items.map(({ itemId }) => itemId)) ?? allFailed(request, 'what it answered is not an answer');
  } catch (error) {
    if (!isGateError(error)) throw error;
    return allFailed(request, error.message);
  }
}

const allFailed = ({ items }: VetoRequest, message: string): ReadonlyMap<string, Said> => new Map(items.map(({ itemId }) => [itemId, { says: 'failed', message }]));

function withBoundedInputs(items: readonly VetoItem[]): object[] {
  let left: number = LIMITS.vetoRequestBytes;
  return items.map(({ input, ...item }) => {
    if (input === undefined) return item;
    const bytes = Buffer.byteLength(JSON.stringify(input));
    if (bytes > left) return { ...item, inputOmitted: true };
    left -= bytes;
    return { ...item, input };
  });
}
