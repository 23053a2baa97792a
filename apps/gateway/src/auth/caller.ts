import type { PrincipalId, Role, TenantId } from '@countersign/contracts';

/** Who a verified key stands for. Tenant and principal of everything that follows come from here and from nowhere else. */
export interface Caller {
  readonly tenant: TenantId;
  readonly principal: PrincipalId;
  readonly roles: readonly Role[];
  readonly keyId: string;
}
