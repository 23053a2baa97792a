import type { PolicyLayer, RiskClass } from '@countersign/contracts';
import type { GrantStatus } from '@countersign/contracts/http';

/** Which of a tenant's two bundles; default `rules`. */
export interface InLayer { readonly layer?: PolicyLayer }

/** All given fields must hold. */
export interface ApprovalFilter {
  /** That a holder of this role or group may answer. Not together with `mine`. */
  readonly role?: string;
  /** Only what this key's roles and groups may answer. */
  readonly mine?: boolean;
  readonly provider?: string;
  readonly operation?: string;
  readonly risk?: RiskClass;
  readonly session?: string;
  readonly agent?: string;
  /** Asked longer ago than `90s`, `30m`, `8h`, `2d`. */
  readonly olderThan?: string;
  /** RFC 3339. */
  readonly askedBefore?: string;
  /** Rows a page. */
  readonly limit?: number;
}

export interface GrantFilter {
  /** Default `active`. */
  readonly status?: GrantStatus;
  /** Rows a page. */
  readonly limit?: number;
}
