import { LIMITS, type GrantNarrow, type GrantPreview, type JsonObject, type PreviewGrant } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { isWithin } from '@countersign/policy-engine';
import type { DataSource, EntityManager } from 'typeorm';
import { checkpointsOf } from '../checkpoints.js';
import { asTenant } from '../data-source.js';
import { instant, plainText } from './filters.js';

const EXAMPLES = 20;

interface Origin { provider: string; operation: string; profile: string }
interface Asked { plan_id: string; item_id: string; proposed_at: Date; input_digest: string; input: string | null; answer: string | null; expired: boolean }

/** Calls of the origin's profile and operation that a person was asked about, newest first, as they stood in the end. */
const ASKED = `
  SELECT i.plan_id, i.item_id, p.proposed_at, coalesce(k.input_digest, i.input_digest) AS input_digest,
    CASE WHEN k.input_digest IS NULL THEN i.input ELSE k.input END AS input,
    (SELECT a.decision FROM item_answers a WHERE a.tenant = i.tenant AND a.plan_id = i.plan_id AND a.item_id = i.item_id ORDER BY a.sequence LIMIT 1) AS answer,
    EXISTS (SELECT 1 FROM item_expiries e WHERE e.tenant = i.tenant AND e.plan_id = i.plan_id AND e.item_id = i.item_id) AS expired
  FROM plan_items i
  JOIN plans p ON p.tenant = i.tenant AND p.plan_id = i.plan_id
  LEFT JOIN LATERAL (SELECT x.input_digest, x.input FROM item_corrections x
    WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id ORDER BY x.sequence DESC LIMIT 1) k ON true
  WHERE i.tenant = $1 AND i.provider = $2 AND i.operation = $3 AND p.profile = $4 AND i.event_time >= $5 AND i.event_time < $6
    AND EXISTS (SELECT 1 FROM item_verdicts v WHERE v.tenant = i.tenant AND v.plan_id = i.plan_id AND v.item_id = i.item_id AND v.decision = 'ask')
  ORDER BY i.sequence DESC, i.ordinal DESC LIMIT ${LIMITS.grantPreviewItems}`;

/**
 * What a standing answer to the origin item would have decided in a time: the calls it covers that people were asked about, and what
 * they said. Looks at the newest `LIMITS.grantPreviewItems` of them.
 * @throws GateError UNAVAILABLE while the origin is not projected (whoever asks has seen it in the log), INVALID_REQUEST
 */
export async function previewGrant(reader: DataSource, tenant: string, { origin, narrow, from, to }: PreviewGrant): Promise<GrantPreview> {
  const [since, until] = [instant(from, 'from'), instant(to, 'to')];
  return asTenant(reader, tenant, async (manager) => {
    const { provider, operation, profile } = await originOf(manager, tenant, origin);
    const asked = (await manager.query(ASKED, [tenant, provider, operation, profile, since, until])) as Asked[];
    const comparable = asked.filter((item) => isComparable(item, narrow));
    const covered = comparable.filter((item) => isWithin(narrow, { inputDigest: item.input_digest, input: inputIn(item) }));
    const said = (answer: string): number => covered.filter((item) => item.answer === answer).length;
    return {
      profile, provider, operation, ...(narrow ? { narrow } : {}), from, to,
      asked: covered.length, approved: said('approve'), rejected: said('reject'), expired: covered.filter((item) => item.answer === null && item.expired).length,
      examples: covered.slice(0, EXAMPLES).map(exampleOf),
      notComparable: asked.length - comparable.length,
      reflects: (await checkpointsOf(manager)).GATE,
    };
  });
}

const inputIn = ({ input }: Asked): JsonObject | undefined => (input === null ? undefined : JSON.parse(input) as JsonObject);

const exampleOf = ({ plan_id: planId, item_id: itemId, answer, proposed_at }: Asked): GrantPreview['examples'][number] =>
  ({ planId, itemId, ...(answer === null ? {} : { answer }), proposedAt: proposed_at.toISOString() });

/** Arguments that lie beside the log are not in the tables: of them only the digest can be compared. */
const isComparable = ({ input }: Asked, narrow: GrantNarrow | undefined): boolean => narrow === undefined || narrow.kind === 'exact_input' || input !== null;

async function originOf(manager: EntityManager, tenant: string, { plan, itemId }: PreviewGrant['origin']): Promise<Origin> {
  const [row] = (await manager.query(
    `SELECT i.provider, i.operation, p.profile FROM plan_items i JOIN plans p ON p.tenant = i.tenant AND p.plan_id = i.plan_id
     WHERE i.tenant = $1 AND i.plan_id = $2 AND i.item_id = $3`, [tenant, plainText(plan, 'plan'), plainText(itemId, 'itemId')])) as Origin[];
  if (!row) throw new GateError('UNAVAILABLE', 'The audit does not know this item yet; it follows the log within moments: ask again', { plan, itemId });
  return row;
}
