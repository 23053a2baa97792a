import type { GrantNarrow, JsonObject, Scope } from '@countersign/contracts';
import type { OfferView } from '@countersign/contracts/http';
import { approvalOf, currentInputOf, termsOf, type ItemState, type PlanState } from '@countersign/domain-plan';
import { narrowOffers, runsAnything } from '@countersign/policy-engine';
import { coversInWords } from '../grants/in-words.js';

/**
 * The ways to answer an asked item, each with what it covers in words: once, then of each wider scope that the terms offer
 * the narrow forms first; for interpreters and wrappers, and where the terms want it, those alone. @param input as it stands now; undefined: not at hand, so that only the exact arguments are offered
 */
export function offersOf(plan: PlanState, item: ItemState, input: JsonObject | undefined): OfferView[] {
  const { scopes, narrowOnly } = termsOf(item);
  const wider = approvalOf(item).quorum > 1 ? [] : scopes.filter((scope) => scope !== 'once');
  const facts = { item: { name: item.operation.name }, input, inputDigest: currentInputOf(item).digest };
  const onlyNarrow = narrowOnly === true || input === undefined || runsAnything(facts);
  const forms: readonly (GrantNarrow | undefined)[] = [...narrowOffers(facts), ...(onlyNarrow ? [] : [undefined])];
  return [
    { scope: 'once', covers: `this one call of ${item.operation.name} of provider ${item.operation.provider}` },
    ...wider.flatMap((scope) => forms.map((narrow) => offerOf(plan, item, scope, narrow))),
  ];
}

function offerOf(plan: PlanState, item: ItemState, scope: Scope, narrow: GrantNarrow | undefined): OfferView {
  const { provider, name: operation } = item.operation;
  const within = scope === 'session' ? { session: true } as const : { profile: plan.proposed!.profile };
  return { scope, ...(narrow ? { narrow } : {}), covers: coversInWords({ provider, operation, ...(narrow ? { narrow } : {}), within }) };
}
