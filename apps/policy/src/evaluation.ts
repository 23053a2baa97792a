import { sessionKey, type AggregateKey, type EventMeta, type PlanEvent, type SessionEvent, type StoredEvent } from '@countersign/contracts';
import { itemsToJudge, itemsToPreview, previewsDueAt, recordVerdicts, type PlanState } from '@countersign/domain-plan';
import { isOpen, type SessionState } from '@countersign/domain-session';
import type { AggregateStore } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import { ENGINE_VERSION } from '@countersign/policy-engine';
import type { ServiceLogger } from '@countersign/service-host';
import type { BundleView, Bundles } from './bundles.js';
import { askExpiresAt, judgeReady, type Judgement } from './judge.js';

export interface EvaluationStores {
  readonly plans: AggregateStore<PlanState, PlanEvent>;
  readonly sessions: AggregateStore<SessionState, SessionEvent>;
}

/** A little after the previews are due, so that the message does not come back a moment too early. */
const AFTER_DUE_MS = 25;

interface Seen { readonly bundle: BundleView; readonly session: number; readonly sessionOpen: boolean }

/** Judges what is ready of a plan, each item on its own, by what the leader says of session and bundle now. */
export class Evaluation {
  constructor(
    private readonly stores: EvaluationStores,
    private readonly bundles: Bundles,
    private readonly logger: ServiceLogger,
    private readonly now: () => Date,
  ) {}

  /**
   * A proposal is its plan's whole past, so nothing is read for it. What waits for a preview is judged when that comes; this
   * message comes back when previews are overdue.
   */
  async proposed(event: StoredEvent<PlanEvent>): Promise<void | { retryInMs: number }> {
    this.stores.plans.observe(event);
    const { state } = await this.stores.plans.get(event.key, event.sequence);
    await this.judge(event, state);
    return this.waitForPreviews(event);
  }

  /** What has become ready by previews. */
  async previewed(event: StoredEvent<PlanEvent>): Promise<void> {
    this.stores.plans.observe(event);
    const { state } = await this.stores.plans.get(event.key, event.sequence);
    await this.judge(event, state);
  }

  /** Until nothing is ready; one append, unless the verdicts do not fit one event. */
  private async judge(event: StoredEvent<PlanEvent>, plan: PlanState): Promise<void> {
    if (itemsToJudge(plan, this.now()).length === 0) return;
    const [session, bundle] = await Promise.all([
      this.stores.sessions.fresh(sessionKey(event.key.tenant, event.key.session)), this.bundles.inForce(event.key.tenant),
    ]);
    const seen = { bundle, session: session.position.sequence, sessionOpen: isOpen(session.state) };
    await faultPoint('policy.before-append');
    for (let more = true; more;) more = await this.append(event, seen);
    await faultPoint('policy.after-append');
  }

  /** @returns whether more is ready. Judged on the fold that the append is expected on, so a lost race is judged anew. */
  private async append(event: StoredEvent<PlanEvent>, { bundle, session, sessionOpen }: Seen): Promise<boolean> {
    const { key } = event;
    const now = this.now();
    let judgement: Judgement = { verdicts: [], more: false };
    const { appended } = await this.stores.plans.transact(key, ({ state }) => {
      judgement = judgeReady(state, { compiled: bundle.compiled, sessionOpen, now });
      return recordVerdicts(state, {
        planId: key.id, verdicts: judgement.verdicts, askExpiresAt: askExpiresAt(now), evaluatedAt: now.toISOString(), engine: ENGINE_VERSION,
        bundle: { version: bundle.version, digest: bundle.digest }, saw: { session, catalogue: bundle.sequence },
      });
    }, { meta: metaOf(event) });
    if (appended) this.warnOfDowngrades(key, judgement);
    return appended && judgement.more;
  }

  private warnOfDowngrades(key: AggregateKey, { verdicts }: Judgement): void {
    const items = verdicts.filter((verdict) => verdict.downgraded).map(({ itemId, decidedBy }) => ({ itemId, decidedBy }));
    if (items.length > 0) this.logger.warn({ tenant: key.tenant, plan: key.id, items }, 'nobody can be asked about these calls: ask became deny');
  }

  /** On what this process knows by now: at worst the message comes back once more and finds nothing to do. */
  private async waitForPreviews(event: StoredEvent<PlanEvent>): Promise<void | { retryInMs: number }> {
    const { state: plan } = await this.stores.plans.get(event.key, event.sequence);
    const due = previewsDueAt(plan);
    if (!due || itemsToPreview(plan).length === 0) return undefined;
    return { retryInMs: Math.max(0, due.getTime() - this.now().getTime()) + AFTER_DUE_MS };
  }
}

const metaOf = (event: StoredEvent): EventMeta => ({
  actor: 'service:policy',
  correlationId: event.meta.correlationId,
  causationId: `${event.stream}:${event.sequence}`,
  ...(event.meta.traceparent === undefined ? {} : { traceparent: event.meta.traceparent }),
});
