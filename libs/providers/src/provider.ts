import type { Json, JsonObject, OperationSnapshot, PreviewAbsence, ProviderEndpoint, ProviderFailure, RenderTree, ToolSchema } from '@countersign/contracts';

/** One call, as the log says it. Arguments never come from anywhere else. */
export interface ProviderCall {
  readonly tenant: string;
  readonly session: string;
  readonly operation: OperationSnapshot;
  readonly input: JsonObject;
  /** Aborted at the deadline, on cancel, and when the caller has lost its lease. */
  readonly signal: AbortSignal;
}

export interface ApplyCall extends ProviderCall {
  readonly idempotencyKey: string;
  readonly fence: number;
  /** Of the approved preview. A provider whose target has changed since answers `precondition_failed`. */
  readonly expectedFingerprint?: string;
  /**
   * Asked when the call has its turn at the provider, before anything of it is sent: only from here on its time counts.
   * False: it must not be made any more, and is answered as never sent.
   * @param waited it stood in line, so what was checked before may have changed
   */
  readonly onTurn?: (waited: boolean) => boolean | Promise<boolean>;
}

export type PreviewAnswer =
  | { readonly tree: RenderTree; /** of the target's state the preview rests on */ readonly fingerprint?: string }
  | { readonly absent: Extract<PreviewAbsence, 'unsupported' | 'timeout' | 'failed' | 'too_large'> };

export type ApplyAnswer =
  | { readonly ok: true; readonly result: Json }
  | {
    readonly ok: false;
    readonly error: ProviderFailure;
    /**
     * The call certainly had no effect: it was never sent, or was refused before it began. Without it, whether a
     * failure leaves doubt follows from its category (`leavesDoubt`), so an adapter that says nothing fails closed.
     */
    readonly didNotHappen?: true;
  };

/** What became of an attempt whose answer nobody heard. `unknown` makes the item indeterminate: it is never run again on a guess. */
export type ReconcileAnswer =
  | { readonly found: 'applied'; readonly result: Json }
  | { readonly found: 'not_applied' }
  | { readonly found: 'unknown' };

/**
 * A connected provider. `providerContract` says what every adapter must do. An adapter answers, it does not throw:
 * whatever its server does (crash, hang, garbage) becomes an answer.
 */
export interface Provider {
  /** What it offers, checked by nobody yet. @throws GateError PROVIDER_UNREACHABLE */
  describe(): Promise<readonly ToolSchema[]>;
  /** A dry run. Must not change anything. */
  preview(call: ProviderCall): Promise<PreviewAnswer>;
  apply(call: ApplyCall): Promise<ApplyAnswer>;
  reconcile(call: ApplyCall): Promise<ReconcileAnswer>;
  /** Ends what it holds (processes, sockets). Idempotent. */
  close(): Promise<void>;
}

/** Makes providers from the endpoint a plan carries; keeps connections and gives them up when idle. */
export interface ProviderRegistry {
  /**
   * @param tenant connections are never shared between tenants
   * @throws GateError PROVIDER_INVALID when no adapter serves such an endpoint
   */
  connect(tenant: string, endpoint: ProviderEndpoint): Provider;
  close(): Promise<void>;
}
