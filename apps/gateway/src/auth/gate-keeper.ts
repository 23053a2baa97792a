import { GateError } from '@countersign/kernel';
import { bearerOf, secretMatches } from './api-key.js';
import type { Caller } from './caller.js';
import type { KeyRing } from './key-ring.js';
import { accessOf } from './route-roles.js';

/** What is known of a request's sender before its body is read. */
export type Admitted = { readonly as: 'everyone' } | { readonly as: 'operator' } | { readonly as: 'caller'; readonly caller: Caller };

/** Lets a request in by the table of routes. An unknown route and a table without an entry let nobody in. */
export class GateKeeper {
  /** @param operatorKeyHash SHA-256 of the whole operator's key, hex; without one there is no operator */
  constructor(private readonly keys: KeyRing, private readonly operatorKeyHash: string | undefined) {}

  /**
   * @param route path pattern as the router has it
   * @throws GateError UNAUTHENTICATED, FORBIDDEN
   */
  async admit(method: string, route: string, authorization: string | undefined): Promise<Admitted> {
    const access = accessOf(method, route);
    if (access === 'everyone') return { as: 'everyone' };
    const token = bearerOf(authorization);
    if (access === 'operator') return this.admitOperator(token);
    const caller = await this.keys.authenticate(token);
    if (access === undefined || !access.some((role) => caller.roles.includes(role))) {
      throw new GateError('FORBIDDEN', access === undefined ? undefined : `This needs a key with one of the roles ${access.join(', ')}`);
    }
    return { as: 'caller', caller };
  }

  /** A tenant's valid key is told that it may not; everything else is no key. */
  private async admitOperator(token: string | undefined): Promise<Admitted> {
    if (token !== undefined && secretMatches(token, this.operatorKeyHash)) return { as: 'operator' };
    await this.keys.authenticate(token);
    throw new GateError('FORBIDDEN', 'Only the operator of this installation may do that');
  }
}
