import { LIMITS, planIdFrom, type PlanId, type SessionId } from '@countersign/contracts';
import type { PlanView, ProposeRequest } from '@countersign/contracts/http';
import { sealAll, type BlobStore } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import type { AuditLag } from '../bounds/audit-lag.js';
import type { TenantBounds } from '../bounds/tenant-bounds.js';
import type { Asked } from '../edge/asked.js';
import type { Commanding } from '../edge/commanding.js';
import { creationHash } from '../edge/idempotency.js';
import type { WaitFor } from '../edge/query.js';
import { requireSessionId } from '../sessions/session-reader.js';
import { keyOf, type PlanReader } from './plan-reader.js';
import type { PlanWaiter } from './plan-waiter.js';

/** Who may propose now. */
export interface ProposalBounds { readonly tenants: TenantBounds; readonly auditLag: AuditLag }

/** Bodies first, then the command that names them; then as much waiting as the caller wants. */
export class Proposing {
  constructor(
    private readonly commanding: Commanding,
    private readonly blobs: BlobStore,
    private readonly reader: PlanReader,
    private readonly waiter: PlanWaiter,
    private readonly bounds: ProposalBounds,
  ) {}

  /** @throws GateError TOO_MANY_REQUESTS, NOT_FOUND, PLAN_EMPTY, PLAN_TOO_LARGE, DUPLICATE_CALL_ID, and whatever planner refuses with */
  async propose(asked: Asked, sessionId: SessionId, body: ProposeRequest, goal: WaitFor): Promise<PlanView> {
    requireSessionId(sessionId);
    refuseUnsealed(body);
    this.bounds.auditLag.refuseWhenBehind();
    const planId = planIdFrom(sessionId, creationHash(asked.caller, 'plan', asked.idempotencyKey));
    // Watching before the command, so that no event can be missed and none must be looked for.
    const watch = this.waiter.watch(keyOf(asked.caller.tenant, planId), asked.signal);
    try {
      const sequence = await this.bounds.tenants.proposing(asked.caller.tenant, () => this.send(asked, sessionId, planId, body));
      return await this.reader.afterCommand(asked.caller, planId, { watch, goal, atLeast: sequence });
    } finally {
      watch.end();
    }
  }

  private async send(asked: Asked, sessionId: SessionId, planId: PlanId, body: ProposeRequest): Promise<number> {
    const inputs = await sealAll(body.items.map((item) => item.input), { blobs: this.blobs, tenant: asked.caller.tenant });
    const calls = body.items.map(({ callId, provider, operation }, index) => ({ callId, provider, operation, input: inputs[index]! }));
    const { sequence } = await this.commanding.call('planner.propose', {
      planId, sessionId,
      turnId: body.turnId ?? `t${planId.slice(-24)}`,
      requestDigest: digestOf({ turnId: body.turnId, calls: calls.map(({ input, ...call }) => ({ ...call, input: input.digest })) }),
      calls,
      at: this.commanding.now(),
    }, asked);
    return sequence;
  }
}

/** What planner would refuse too, before bodies are stored for it. */
function refuseUnsealed({ items }: ProposeRequest): void {
  if (items.length === 0) throw new GateError('PLAN_EMPTY');
  if (items.length > LIMITS.planItems) throw new GateError('PLAN_TOO_LARGE');
  const seen = new Set<string>();
  for (const { callId } of items) {
    if (seen.has(callId)) throw new GateError('DUPLICATE_CALL_ID', undefined, { callId });
    seen.add(callId);
  }
}
