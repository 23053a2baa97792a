import type { ItemId, LimitCause, PlanId, RiskClass, SessionId, TenantId, WebhookEvent } from '@countersign/contracts';

export const NOTICE_TYPE = { asked: 'approval.asked', answered: 'approval.answered', expired: 'approval.expired', tripped: 'session.tripped' } as const satisfies Record<WebhookEvent, string>;

/**
 * What a webhook is told, and what of it `standard` sends as it stands. It names what it is about and where to look at it;
 * arguments, previews and results are not in it, since they may hold secrets and the receiver is outside of the gate.
 */
export interface Notice {
  readonly type: (typeof NOTICE_TYPE)[WebhookEvent];
  /** When it happened. RFC 3339, UTC. */
  readonly timestamp: string;
  readonly data: NoticeData;
}

export interface NoticeData {
  readonly tenant: TenantId;
  readonly session: SessionId;
  /** Absent where it is about a session. */
  readonly plan?: PlanId;
  readonly links: Readonly<Record<string, string>>;
  readonly items: readonly NoticeItem[];
  /** How many more it is about; they did not fit. */
  readonly itemsOmitted?: number;
  /** Of a trip. */
  readonly cause?: LimitCause;
  readonly detail?: string;
  readonly endsAt?: string;
}

export interface NoticeItem {
  /** Where it is not the notice's own. */
  readonly plan?: PlanId;
  readonly itemId: ItemId;
  readonly provider?: string;
  readonly operation?: string;
  readonly risk?: RiskClass;
  /** What the operation says of itself, cut. */
  readonly description?: string;
  readonly decision?: 'approve' | 'reject' | 'deny';
  readonly decidedBy?: string;
  /** The rule's or the person's words, cut. */
  readonly message?: string;
  /** What an answer must name. */
  readonly itemDigest?: string;
  /** Absent on an ask: it waits without end. RFC 3339, UTC. */
  readonly expiresAt?: string;
  readonly links: Readonly<Record<string, string>>;
}
