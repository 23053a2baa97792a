import type { JsonObject, PolicyRule } from '@countersign/contracts';
import { digestOf } from '@countersign/kernel';

/**
 * Names a rule by what decides when an explicit ask was published: match, profile, condition and action. Its id, message and
 * obligations may change without making it a newer one. 16 hex digits.
 */
export function ruleFingerprint({ match, profile, when, action }: PolicyRule): string {
  const named = { match: { ...match }, action, ...(profile === undefined ? {} : { profile }), ...(when === undefined ? {} : { when }) };
  return digestOf(named as unknown as JsonObject).replace(/^.*:/, '').slice(0, 16);
}
