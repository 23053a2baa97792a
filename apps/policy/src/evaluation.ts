import { sessionKey, type AggregateKey, type PlanEvent, type SessionEvent, type StoredEvent } from '@countersign/contracts';
import { itemsToJudge, itemsToPreview, previewsDueAt, recordVerdicts, type PlanState } from '@countersign/domain-plan';
import { isOpen, type SessionState } from '@countersign/domain-session';
import { causedBy, type AggregateStore } from '@countersign/event-log';
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
    for (let more = true; more;) more = await this.append(event);
    await faultPoint('policy.after-append');
  }

  /**
   * @returns whether more is ready. Judged on the fold that the append is expected on, and by what session and rules are at that
   * moment: after a lost race both are looked at anew, since the winner may be what ended the session.
   */
  private async append(event: StoredEvent<PlanEvent>): Promise<boolean> {
    const { key } = event;
    let judgement: Judgement = { verdicts: [], more: false };
    const { appended } = await this.stores.plans.transact(key, async ({ state }) => {
      if (itemsToJudge(state, this.now()).length === 0) return { reply: { judged: [] } };
      const { bundle, session, sessionOpen } = await this.look(key);
      await faultPoint('policy.before-append');
      const now = this.now();
      judgement = judgeReady(state, { compiled: bundle.compiled, sessionOpen, now });
      return recordVerdicts(state, {
        planId: key.id, verdicts: judgement.verdicts, askExpiresAt: askExpiresAt(now), evaluatedAt: now.toISOString(), engine: ENGINE_VERSION,
        bundle: { version: bundle.version, digest: bundle.digest }, saw: { session, catalogue: bundle.sequence },
      });
    }, { meta: causedBy(event, 'policy') });
    if (appended) this.warnOfDowngrades(key, judgement);
    return appended && judgement.more;
  }

  private async look({ tenant, session }: AggregateKey): Promise<Seen> {
    const [{ state, position }, bundle] = await Promise.all([this.stores.sessions.fresh(sessionKey(tenant, session)), this.bundles.inForce(tenant)]);
    return { bundle, session: position.sequence, sessionOpen: isOpen(state) };
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
