import type { PrincipalId, Role, TenantId } from '@countersign/contracts';

/** Who a verified key stands for. Tenant and principal of everything that follows come from here and from nowhere else. */
export interface Caller {
  readonly tenant: TenantId;
  readonly principal: PrincipalId;
  readonly roles: readonly Role[];
  readonly groups: readonly string[];
  readonly keyId: string;
}

/** In whose name an answer is signed: every role and group of the key, sorted, each once. */
export const standingOf = ({ roles, groups }: Pick<Caller, 'roles' | 'groups'>): readonly string[] => [...new Set<string>([...roles, ...groups])].sort();
