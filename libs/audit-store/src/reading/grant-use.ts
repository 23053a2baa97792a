import { LIMITS, type AskGrantUse, type GrantUse } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { DataSource } from 'typeorm';
import { checkpointsOf } from '../checkpoints.js';
import { asTenant } from '../data-source.js';
import { plainText } from './filters.js';

interface Row { decided_by: string; hits: number; last_hit: Date }

/** How many verdicts each standing grant decided, in the order asked for; one that decided none has 0. @throws GateError INVALID_REQUEST */
export async function grantUse(reader: DataSource, tenant: string, { grants }: AskGrantUse): Promise<GrantUse> {
  if (!Array.isArray(grants) || grants.length > LIMITS.standingGrants) throw new GateError('INVALID_REQUEST', `grants is a list of at most ${LIMITS.standingGrants} ids`);
  const deciders = grants.map((grant) => `standing:${plainText(grant, 'grants')}`);
  return asTenant(reader, tenant, async (manager) => {
    const rows = (await manager.query(
      `SELECT decided_by, count(*)::int AS hits, max(evaluated_at) AS last_hit FROM item_verdicts
       WHERE tenant = $1 AND decided_by LIKE 'standing:%' AND decided_by = ANY($2::text[]) GROUP BY decided_by`, [tenant, deciders])) as Row[];
    const found = new Map(rows.map((row) => [row.decided_by, row]));
    return {
      uses: grants.map((grantId) => {
        const row = found.get(`standing:${grantId}`);
        return row ? { grantId, hits: row.hits, lastHitAt: row.last_hit.toISOString() } : { grantId, hits: 0 };
      }),
      reflects: (await checkpointsOf(manager)).GATE,
    };
  });
}
