import type { GrantActivated, GrantEvent, GrantRevoked } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

/** A standing grant as it is shown. A reservation is none yet. */
export interface GrantLife {
  /** The newest activation. */
  readonly active?: GrantActivated;
  /** Since then. */
  readonly revoked?: GrantRevoked;
}

export const grantLifeFold: Fold<GrantLife, GrantEvent> = { initial: {}, evolve };

/** Total. The same grant again after it was revoked is in force anew. */
function evolve(life: GrantLife, event: GrantEvent): GrantLife {
  switch (event.type) {
    case 'grant.Activated': return { active: event.data };
    case 'grant.Revoked': return life.active && !life.revoked ? { ...life, revoked: event.data } : life;
    default: return life;
  }
}
