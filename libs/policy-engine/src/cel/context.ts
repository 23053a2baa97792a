import { LIMITS, type Json } from '@countersign/contracts';
import type { ItemFacts } from '../facts.js';
import { AgentView, ItemView, SessionView, TenantView } from './environment.js';

/** What conditions of one item are evaluated on. */
export interface ConditionContext {
  readonly variables: Record<string, unknown>;
  /** False: a condition that looks at `input` is an error. */
  readonly inputUsable: boolean;
}

export function contextOf({ item, input, session, tenant, now }: ItemFacts): ConditionContext {
  const seen = input === undefined ? UNUSABLE : new InputView().of(input, 0);
  return {
    inputUsable: seen !== UNUSABLE,
    variables: {
      ...(seen === UNUSABLE ? {} : { input: seen }),
      item: new ItemView(item.kind, item.provider, item.name, item.risk, item.category),
      session: new SessionView(session),
      agent: new AgentView(session.agent),
      tenant: new TenantView(tenant.id),
      now: new Date(now),
    },
  };
}

const UNUSABLE = Symbol('unusable');

/**
 * The input as conditions see it. An object with a member `constructor` is shown as a map, or the evaluator would take that
 * member for the object's class. One with a member `__proto__` anywhere makes the whole input unusable: compared with an
 * object of the condition's own, it would equal what it is not. So does more than can be gone through in time.
 */
class InputView {
  private values = 0;

  of(value: Json, depth: number): unknown {
    this.values += 1;
    if (depth > LIMITS.jsonDepth || this.values > LIMITS.celInputValues) return UNUSABLE;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.ofList(value as readonly Json[], depth);
    return Object.hasOwn(value, '__proto__') ? UNUSABLE : this.ofObject(value as Readonly<Record<string, Json>>, depth);
  }

  /** The same list, unless something in it is seen differently. */
  private ofList(list: readonly Json[], depth: number): unknown {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const seen = this.of(list[index]!, depth + 1);
      if (seen === UNUSABLE) return UNUSABLE;
      if (seen !== list[index]) (copy ??= [...list])[index] = seen;
    }
    return copy ?? list;
  }

  private ofObject(object: Readonly<Record<string, Json>>, depth: number): unknown {
    let copy: Map<string, unknown> | undefined = Object.hasOwn(object, 'constructor') ? new Map(Object.entries(object)) : undefined;
    for (const key of Object.keys(object)) {
      const seen = this.of(object[key]!, depth + 1);
      if (seen === UNUSABLE) return UNUSABLE;
      if (seen !== object[key]) (copy ??= new Map(Object.entries(object))).set(key, seen);
    }
    return copy ?? object;
  }
}
