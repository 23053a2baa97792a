import type { ErrorCode, OperationSnapshot, ProposedCall, ProviderSnapshot } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { CatalogueView, CataloguedOperation } from './operation-catalogue.js';

export interface ResolvedCall {
  readonly call: ProposedCall;
  /** Key in `operations`. */
  readonly key: string;
  readonly operation: CataloguedOperation;
}

export interface ResolvedCalls {
  readonly calls: readonly ResolvedCall[];
  readonly providers: Readonly<Record<string, ProviderSnapshot>>;
  readonly operations: Readonly<Record<string, OperationSnapshot>>;
}

/**
 * Finds each call's operation as it is registered now; this is the only time it is looked up.
 * @throws GateError PROVIDER_UNKNOWN, OPERATION_UNKNOWN, naming in `details.calls` every call of which that is true
 */
export async function resolveCalls(calls: readonly ProposedCall[], catalogue: CatalogueView): Promise<ResolvedCalls> {
  const found = await Promise.all(calls.map((call) => find(call, catalogue)));
  refuse(found, 'PROVIDER_UNKNOWN', (call) => `no provider ${call.provider} is registered`);
  refuse(found, 'OPERATION_UNKNOWN', (call) => `provider ${call.provider} has no operation ${call.operation}`);
  const resolved = found.filter((one): one is Found => typeof one.result === 'object');
  return {
    calls: resolved.map(({ call, result }) => ({ call, key: keyOf(call), operation: result.operation })),
    providers: Object.fromEntries(resolved.map(({ call, result }) => [call.provider, result.provider])),
    operations: Object.fromEntries(resolved.map(({ call, result }) => [keyOf(call), result.operation.snapshot])),
  };
}

type Unknown = Extract<ErrorCode, 'PROVIDER_UNKNOWN' | 'OPERATION_UNKNOWN'>;
interface Found { readonly call: ProposedCall; readonly result: { readonly provider: ProviderSnapshot; readonly operation: CataloguedOperation } }
type Looked = Found | { readonly call: ProposedCall; readonly result: Unknown };

/** A provider's name has no slash, so the first one divides. */
const keyOf = (call: ProposedCall): string => `${call.provider}/${call.operation}`;

async function find(call: ProposedCall, catalogue: CatalogueView): Promise<Looked> {
  const provider = await catalogue.provider(call.provider);
  if (!provider) return { call, result: 'PROVIDER_UNKNOWN' };
  const operation = await provider.operation(call.operation);
  return { call, result: operation ? { provider: provider.snapshot, operation } : 'OPERATION_UNKNOWN' };
}

function refuse(found: readonly Looked[], code: Unknown, say: (call: ProposedCall) => string): void {
  const missing = found.filter(({ result }) => result === code).map(({ call }) => call);
  if (missing.length === 0) return;
  const [first] = missing as [ProposedCall];
  throw new GateError(code, `Call ${first.callId}: ${say(first)}`, {
    calls: missing.map(({ callId, provider, operation }) => ({ callId, provider, operation })),
  });
}
