import type { PlanId, SessionId, TenantId } from '@countersign/contracts';

/**
 * Plans that this process has proposed, by session, so that ending a session can close them at once. A convenience that
 * is lost with the process: what is not in here is closed by its timer or by the next answer, and is not allowed or started
 * meanwhile, since policy and executor look at the session themselves.
 */
export class OpenPlans {
  private readonly bySession = new Map<string, Set<PlanId>>();
  private plans = 0;

  constructor(private readonly mostPlans = 50_000) {}

  add(tenant: TenantId, session: SessionId, plan: PlanId): void {
    const key = `${tenant}.${session}`;
    const known = this.bySession.get(key) ?? new Set();
    if (!known.has(plan)) this.plans += 1;
    known.add(plan);
    // to the end of the order: the session that has been quiet the longest is forgotten first
    this.bySession.delete(key);
    this.bySession.set(key, known);
    while (this.plans > this.mostPlans) this.forget(this.bySession.keys().next().value!);
  }

  /** The session's plans, which are then forgotten. */
  take(tenant: TenantId, session: SessionId): PlanId[] {
    const key = `${tenant}.${session}`;
    const known = [...(this.bySession.get(key) ?? [])];
    this.forget(key);
    return known;
  }

  private forget(key: string): void {
    this.plans -= this.bySession.get(key)?.size ?? 0;
    this.bySession.delete(key);
  }
}
