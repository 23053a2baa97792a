import type { TenantId, VetoAnswer, VetoSubscriber } from '@countersign/contracts';
import { mayStartProcesses, type TenantState } from '@countersign/domain-tenant';
import { askVeto, endpointSecret, type VetoRequest } from '@countersign/outbound';

export interface VetoCall {
  readonly subscriber: VetoSubscriber;
  readonly request: VetoRequest;
  readonly tenant: TenantState;
  /** Aborted when the message is no longer this process's. */
  readonly signal: AbortSignal;
}

/** One subscriber, asked about the items of one round: an answer for each, `failed` for whatever is not a whole and timely one. */
export type VetoCaller = (call: VetoCall) => Promise<readonly VetoAnswer[]>;

/** @param outboundKey `ServiceConfig.outboundKey`; without one nobody can be asked, which denies */
export const vetoCallerOverHttp = (outboundKey: string | undefined): VetoCaller => async ({ subscriber, request, tenant, signal }) => {
  if (outboundKey === undefined) {
    return request.items.map(({ itemId }) => ({ subscriber: subscriber.name, itemId, says: 'failed', message: 'this installation has no key to sign requests with', tookMs: 0 }));
  }
  const secret = secretOf(outboundKey, request.tenant, subscriber);
  return await askVeto(subscriber, request, { secret, allowLoopback: mayStartProcesses(tenant), signal });
};

const secretOf = (outboundKey: string, tenant: TenantId, { name, secretVersion }: VetoSubscriber): string =>
  endpointSecret(outboundKey, { tenant, kind: 'veto', name, version: secretVersion });
