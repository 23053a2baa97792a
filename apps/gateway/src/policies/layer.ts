import { POLICY_LAYERS, type PolicyLayer } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { Caller } from '../auth/caller.js';
import { oneOf, type Query } from '../edge/query.js';

export const LAYER = { name: 'layer', required: false, enum: [...POLICY_LAYERS], description: 'rules (default), or the tenant’s guardrails, which only an admin changes' } as const;

/** `?layer=rules|guardrails`. @throws GateError INVALID_REQUEST */
export const layerFrom = (query: Query): PolicyLayer => oneOf(query, 'layer', POLICY_LAYERS) ?? 'rules';

/** The layer that is changed. @throws GateError INVALID_REQUEST, FORBIDDEN for guardrails without the role admin */
export function layerToChange(query: Query, { roles }: Caller): PolicyLayer {
  const layer = layerFrom(query);
  if (layer === 'guardrails' && !roles.includes('admin')) throw new GateError('FORBIDDEN', 'Guardrails are changed by a key with the role admin');
  return layer;
}
