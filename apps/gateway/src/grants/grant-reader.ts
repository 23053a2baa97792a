import { LIMITS, grantKey, type GrantEvent, type GrantUse, type TenantId } from '@countersign/contracts';
import type { GrantStatus, StandingGrantPage, StandingGrantView } from '@countersign/contracts/http';
import type { EventLog, Folded } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { CatalogueList } from '../catalogue/catalogue-list.js';
import type { Asked } from '../edge/asked.js';
import type { Commanding } from '../edge/commanding.js';
import type { History } from '../ports.js';
import { grantLifeFold, type GrantLife } from './grant-life.js';
import { standingGrantView } from './grant-views.js';
import { pageAfter } from './grant-cursor.js';

export interface GrantQuery { readonly status: GrantStatus; readonly limit?: number | undefined; readonly cursor?: string | undefined }

/** A page waits no longer than this for the hits; without them it is shown all the same. */
const USE_MS = 2_000;
type Use = ReadonlyMap<string, GrantUse['uses'][number]>;

/** Shows a tenant's standing grants, with how often each was hit as far as the audit says. */
export class GrantReader {
  private readonly grants: CatalogueList<GrantLife, GrantEvent>;

  constructor(private readonly commanding: Commanding, log: EventLog, history: History) {
    this.grants = new CatalogueList('grant', grantLifeFold, log, history);
  }

  /** By id. @throws GateError CURSOR_INVALID */
  async page(asked: Asked, { status, limit = LIMITS.pageItems, cursor }: GrantQuery): Promise<StandingGrantPage> {
    const now = this.commanding.now();
    const all = [...await this.grants.of(asked.caller.tenant)].map(([id, life]) => standingGrantView(id, life, now)).filter((view) => view?.status === status) as StandingGrantView[];
    const { rows, nextCursor } = pageAfter(all, cursor, limit);
    const used = await this.use(asked, rows.map(({ grantId }) => grantId));
    return { grants: rows.map((row) => withUse(row, used?.uses)), ...(nextCursor ? { nextCursor } : {}), ...(used ? { reflects: used.reflects } : {}) };
  }

  /** In force, expired or revoked. @throws GateError NOT_FOUND */
  async one(asked: Asked, grantId: string): Promise<StandingGrantView> {
    const view = await this.find(asked.caller.tenant, grantId);
    return withUse(view, (await this.use(asked, [grantId]))?.uses);
  }

  /** @throws GateError NOT_FOUND */
  async find(tenant: TenantId, grantId: string): Promise<StandingGrantView> {
    const life: Folded<GrantLife> | undefined = (await this.grants.of(tenant)).get(grantKey(tenant, grantId).id);
    const view = life && standingGrantView(grantId, life, this.commanding.now());
    if (!view) throw new GateError('NOT_FOUND', `There is no grant ${grantId.slice(0, LIMITS.nameChars)}`);
    return view;
  }

  /** Undefined while the audit does not answer: how often a grant was hit is nice to know, and decides nothing. */
  private async use(asked: Asked, grants: readonly string[]): Promise<{ readonly uses: Use; readonly reflects: number } | undefined> {
    if (grants.length === 0) return undefined;
    try {
      const { uses, reflects } = await this.commanding.call('audit.grant-use', { grants }, asked, { timeoutMs: USE_MS });
      return { uses: new Map(uses.map((use) => [use.grantId, use])), reflects };
    } catch {
      return undefined;
    }
  }
}

function withUse(view: StandingGrantView, uses: Use | undefined): StandingGrantView {
  if (!uses) return view;
  const { hits = 0, lastHitAt } = uses.get(view.grantId) ?? {};
  return { ...view, hits, ...(lastHitAt === undefined ? {} : { lastHitAt }) };
}
