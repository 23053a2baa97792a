import { sessionKey, type AggregateKey, type PlanEvent, type SessionEvent, type StoredEvent } from '@countersign/contracts';
import { itemsToJudge, itemsToPreview, previewsDueAt, recordVerdicts, type PlanState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import { causedBy, type AggregateStore, type BlobStore, type Folded } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import { ENGINE_VERSION } from '@countersign/policy-engine';
import { inputFor, type PolicyView, type TenantPolicy } from '@countersign/policy-view';
import type { ServiceLogger } from '@countersign/service-host';
import type { Delivery, Handled } from '@countersign/transport-jetstream';
import { VetoAnswers, type Vetoes } from '../vetoes/vetoes.js';
import { judgeReady, type Judgement } from './judge-ready.js';

export interface EvaluationStores {
  readonly plans: AggregateStore<PlanState, PlanEvent>;
  readonly sessions: AggregateStore<SessionState, SessionEvent>;
  readonly blobs: BlobStore;
}

/** A little after the previews are due, so that the message does not come back a moment too early. */
const AFTER_DUE_MS = 25;
/** Until a tenant whose subscribers are all busy is looked at again. */
const VETO_LATER_MS = 250;

interface Seen { readonly policy: TenantPolicy; readonly session: Folded<SessionState> }
interface Round extends Seen { readonly judgement: Judgement; readonly appended: boolean }

/** Judges what is ready of a plan, each item on its own, by what the leader says of session and tenant now. */
export class Evaluation {
  constructor(
    private readonly stores: EvaluationStores,
    private readonly view: PolicyView,
    private readonly vetoes: Vetoes,
    private readonly logger: ServiceLogger,
    private readonly now: () => Date,
  ) {}

  /**
   * A proposal is its plan's whole past, so nothing is read for it; a correction makes its item wait as a new one. What waits for
   * a preview is judged when that comes; this message comes back when previews are overdue.
   */
  async asked(event: StoredEvent<PlanEvent>, delivery: Pick<Delivery, 'signal' | 'working'>): Promise<Handled> {
    return (await this.previewed(event, delivery)) ?? await this.waitForPreviews(event);
  }

  /** What has become ready by previews. */
  async previewed(event: StoredEvent<PlanEvent>, delivery: Pick<Delivery, 'signal' | 'working'>): Promise<Handled> {
    this.stores.plans.observe(event);
    const { state } = await this.stores.plans.get(event.key, event.sequence);
    return this.judge(event, state, delivery);
  }

  /** Until nothing is ready; one append, unless the verdicts do not fit one event or some of them wait for the tenant's subscribers. */
  private async judge(event: StoredEvent<PlanEvent>, plan: PlanState, delivery: Pick<Delivery, 'signal' | 'working'>): Promise<Handled> {
    if (itemsToJudge(plan, this.now()).length === 0) return undefined;
    const answers = new VetoAnswers();
    for (;;) {
      const { judgement, session, policy, appended } = await this.append(event, answers);
      if (appended && judgement.more) continue;
      if (judgement.unasked.length === 0) break;
      delivery.working();
      const asked = await this.vetoes.ask({ key: event.key, items: judgement.unasked, session: session.state, policy, signal: delivery.signal }, answers);
      if (!asked) return { retryInMs: VETO_LATER_MS };
    }
    await faultPoint('policy.after-append');
  }

  /**
   * Judged on the fold that the append is expected on, and by what session and rules are at that moment: after a lost race both
   * are looked at anew, since the winner may be what ended the session. Nothing outside is waited for in here.
   */
  private async append(event: StoredEvent<PlanEvent>, answers: VetoAnswers): Promise<Round> {
    const { key } = event;
    const { reply, appended } = await this.stores.plans.transact(key, async ({ state }) => {
      const seen = await this.look(key);
      await faultPoint('policy.before-append');
      const now = this.now();
      const judgement = await judgeReady(state, {
        key, policy: seen.policy, session: seen.session.state, now, vetoesOf: answers.of,
        inputOf: (item, policy, session) => inputFor(item, policy, session, { blobs: this.stores.blobs, tenant: key.tenant }),
      });
      const { rules, guardrails, shadow, sequence } = seen.policy;
      const { event: evaluated } = recordVerdicts(state, {
        planId: key.id, verdicts: judgement.verdicts, evaluatedAt: now.toISOString(), engine: ENGINE_VERSION, bundle: rules,
        ...(guardrails ? { guardrails } : {}), ...(shadow ? { shadow: { digest: shadow.digest } } : {}),
        ...(judgement.vetoes.length > 0 ? { vetoes: judgement.vetoes } : {}),
        saw: { session: seen.session.position.sequence, catalogue: sequence },
      });
      return { ...(evaluated ? { event: evaluated } : {}), reply: { ...seen, judgement } };
    }, { meta: causedBy(event, 'policy') });
    if (appended) this.warnOfDowngrades(key, reply.judgement);
    return { ...reply, appended };
  }

  private async look({ tenant, session }: AggregateKey): Promise<Seen> {
    const [folded, policy] = await Promise.all([this.stores.sessions.fresh(sessionKey(tenant, session)), this.view.of(tenant)]);
    return { policy, session: folded };
  }

  private warnOfDowngrades(key: AggregateKey, { verdicts }: Judgement): void {
    const items = verdicts.filter((verdict) => verdict.downgraded).map(({ itemId, decidedBy }) => ({ itemId, decidedBy }));
    if (items.length > 0) this.logger.warn({ tenant: key.tenant, plan: key.id, items }, 'nobody can be asked about these calls: ask became deny');
  }

  /** On what this process knows by now: at worst the message comes back once more and finds nothing to do. */
  private async waitForPreviews(event: StoredEvent<PlanEvent>): Promise<Handled> {
    const { state: plan } = await this.stores.plans.get(event.key, event.sequence);
    const due = previewsDueAt(plan);
    if (!due || itemsToPreview(plan).length === 0) return undefined;
    return { retryInMs: Math.max(0, due.getTime() - this.now().getTime()) + AFTER_DUE_MS };
  }
}
