import type { SessionGrant } from '@countersign/contracts';
import type { SessionGrantView } from '@countersign/contracts/http';
import { coversInWords } from './in-words.js';

export function sessionGrantView({ grantId, provider, operation, decision, narrow, by, reason, origin, at }: SessionGrant): SessionGrantView {
  return {
    grantId, provider, operation, decision, ...(narrow ? { narrow } : {}),
    covers: coversInWords({ provider, operation, ...(narrow ? { narrow } : {}), within: { session: true } }),
    by, ...(reason === undefined ? {} : { reason }), origin, at,
  };
}
