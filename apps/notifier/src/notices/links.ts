import type { ItemId, PlanId, SessionId } from '@countersign/contracts';

/** Where the gateway shows things; it asks for a key there. */
export interface Links {
  plan(plan: PlanId): Record<string, string>;
  item(plan: PlanId, item: ItemId): Record<string, string>;
  session(session: SessionId): Record<string, string>;
}

/** @param publicUrl `ServiceConfig.publicUrl`; undefined: nobody said where, and there are no links */
export function linksTo(publicUrl: string | undefined): Links {
  const to = (name: string, path: string): Record<string, string> => (publicUrl === undefined ? {} : { [name]: `${publicUrl.replace(/\/+$/, '')}/v1/${path}` });
  return {
    plan: (plan) => to('plan', `plans/${plan}`),
    item: (plan, item) => to('item', `plans/${plan}/items/${item}`),
    session: (session) => to('session', `sessions/${session}`),
  };
}
