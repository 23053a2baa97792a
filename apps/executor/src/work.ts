import type { AggregateKey, ApplyAttempt, ApplyStarted, EventMeta, Json, PlanEvent, Proposed, ProviderFailure, SessionEvent } from '@countersign/contracts';
import type { ItemState, PlanState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import type { AggregateStore, BlobStore } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { failure, type ProviderRegistry, type SchemaChecks } from '@countersign/providers';
import type { ServiceLogger } from '@countersign/service-host';
import type { Bodies, Gone } from './bodies.js';
import type { LockDomains } from './lock-domains.js';
import type { RunningCalls } from './running-calls.js';
import type { TenantViews } from './tenant-views.js';

/** What every step needs; made once for the service. */
export interface ExecutorParts {
  readonly plans: AggregateStore<PlanState, PlanEvent>;
  readonly sessions: AggregateStore<SessionState, SessionEvent>;
  readonly tenants: TenantViews;
  readonly running: RunningCalls;
  readonly blobs: BlobStore;
  readonly registry: ProviderRegistry;
  readonly locks: LockDomains;
  readonly schemas: SchemaChecks;
  readonly logger: ServiceLogger;
  /** Unique to this process; part of leases. */
  readonly instance: string;
  readonly now: () => Date;
}

/** What one delivery works on. Everything of a call comes from the plan's own snapshot. */
export interface Work {
  readonly key: AggregateKey;
  readonly proposed: Proposed;
  readonly atLeast: number;
  readonly meta: EventMeta;
  readonly lease: ApplyStarted['lease'];
  /** Aborted when the lease is over. From then on nothing may be called. */
  readonly signal: AbortSignal;
}

/** An item to be called: it is ready, or an earlier attempt under this message is given up for a new one. */
export interface Wanted {
  readonly item: ItemState;
  /** An earlier attempt may have taken effect: a failure of a later one proves nothing, and leaves the item indeterminate. */
  readonly doubt: boolean;
}

/** What names one call to its provider. Reads have no started attempt. */
export interface Attempted {
  readonly item: ItemState;
  readonly attempt?: ApplyAttempt;
}

/** One item that is called now. */
export interface Task extends Wanted, Attempted {
  readonly bodies: Bodies | Gone;
}

/** How one item ended, before its result is sealed. */
export interface Ended {
  readonly itemId: string;
  /** 0: it was skipped before any attempt. */
  readonly attempt: number;
  readonly outcome: 'applied' | 'failed' | 'skipped' | 'indeterminate';
  /** `undefined`: none; null is a result. */
  readonly result?: Json;
  readonly error?: ProviderFailure;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** Whoever gets the message next recovers what is open; this process does no more about it. */
export const leaseOver = (): GateError => new GateError('UNAVAILABLE', 'The lease on the message is over');

/** The error of an item that was begun and whose end nobody can find out. */
export const outcomeLost = (): ProviderFailure =>
  failure('unknown', 'The call was begun, and its outcome was lost; whether it took effect is not known', false);

/** The error of an item that was begun elsewhere, at a provider that does not show it and could be made to do it twice. */
export const effectNotShown = (): ProviderFailure => failure(
  'unknown', 'The call was begun and its outcome was lost; the provider did not show the effect when it was asked, but the call may still arrive. A person resolves it', false);
