import type { Role } from '@countersign/contracts';

/** Who may call a route: `everyone` (no key), the `operator`, or any key of a tenant with one of the roles. */
export type Access = 'everyone' | 'operator' | readonly Role[];

const READERS: readonly Role[] = ['proposer', 'approver', 'author', 'admin', 'auditor'];
const PROPOSERS: readonly Role[] = ['proposer', 'admin'];
const APPROVERS: readonly Role[] = ['approver'];
const ADMINS: readonly Role[] = ['admin'];
const AUTHORS: readonly Role[] = ['author', 'admin'];
const AUDITORS: readonly Role[] = ['auditor', 'admin'];

/**
 * Every route and who may call it. A route that is not in here answers nobody. Answering is for approvers only: an admin
 * who should answer is given that role too, so that it is seen in the key.
 */
export const ROUTE_ROLES: Readonly<Record<string, Access>> = {
  'GET /healthz': 'everyone',
  'GET /readyz': 'everyone',
  'GET /metrics': 'everyone',
  'GET /openapi.json': 'everyone',

  'POST /v1/tenants': 'operator',
  'POST /v1/tenants/:tenantId/keys': 'operator',
  'POST /v1/keys': ADMINS,
  'GET /v1/keys': ADMINS,
  'DELETE /v1/keys/:keyId': ADMINS,

  'POST /v1/sessions': PROPOSERS,
  'GET /v1/sessions/:sessionId': READERS,
  'POST /v1/sessions/:sessionId/end': PROPOSERS,
  'GET /v1/sessions/:sessionId/tools': READERS,
  'GET /v1/sessions/:sessionId/grants': READERS,
  'POST /v1/sessions/:sessionId/grants/:grantId/revoke': ['approver', 'admin'],
  'GET /v1/sessions/:sessionId/events': READERS,
  'POST /v1/sessions/:sessionId/plans': PROPOSERS,

  'GET /v1/plans/:planId': READERS,
  'GET /v1/plans/:planId/events': READERS,
  'GET /v1/plans/:planId/why': READERS,
  'GET /v1/plans/:planId/items/:itemId': READERS,
  'POST /v1/plans/:planId/items/:itemId/decision': APPROVERS,
  'POST /v1/plans/:planId/items/:itemId/correction': APPROVERS,
  'POST /v1/plans/:planId/decisions': APPROVERS,
  'POST /v1/plans/:planId/cancel': [...PROPOSERS, 'approver'],

  'POST /v1/providers': ADMINS,
  'GET /v1/providers': READERS,
  'GET /v1/providers/:name': READERS,
  'DELETE /v1/providers/:name': ADMINS,

  'GET /v1/approvals': READERS,
  'GET /v1/approvals/events': READERS,

  'GET /v1/settings': READERS,
  'PUT /v1/settings': ADMINS,
  'GET /v1/subscribers': ADMINS,
  'POST /v1/subscribers': ADMINS,
  'DELETE /v1/subscribers/:name': ADMINS,
  'GET /v1/webhooks': ADMINS,
  'POST /v1/webhooks': ADMINS,
  'DELETE /v1/webhooks/:name': ADMINS,
  'GET /v1/freeze': READERS,
  'POST /v1/freeze': ['approver', 'admin'],
  'DELETE /v1/freeze/:freezeId': ['approver', 'admin'],

  'GET /v1/grants': READERS,
  'GET /v1/grants/:grantId': READERS,
  'POST /v1/grants/:grantId/revoke': ['approver', 'author', 'admin'],
  'POST /v1/grants/preview': ['approver', 'author', 'admin', 'auditor'],

  'GET /v1/policies': READERS,
  'POST /v1/policies': AUTHORS,
  'POST /v1/policies/push': AUTHORS,
  'POST /v1/policies/rollback': AUTHORS,
  'GET /v1/policies/history': READERS,
  'GET /v1/policies/versions/:version': READERS,
  'GET /v1/policies/diff': READERS,
  'GET /v1/policies/schema': 'everyone',
  'GET /v1/policies/shadow': READERS,
  'POST /v1/policies/shadow': AUTHORS,
  'DELETE /v1/policies/shadow': AUTHORS,
  'POST /v1/policies/lint': READERS,
  'POST /v1/policies/simulate': READERS,
  'GET /v1/plans/:planId/items/:itemId/explain': READERS,

  'GET /v1/audit/plans': AUDITORS,
  'GET /v1/audit/plan-items': AUDITORS,
  'GET /v1/audit/status': AUDITORS,
  'POST /v1/audit/rebuild': 'operator',
  'GET /v1/audit/rebuild': 'operator',

  'GET /v1/dead-letters': AUDITORS,
  'GET /v1/dead-letters/:stream/:sequence': AUDITORS,
  'POST /v1/dead-letters/:stream/:sequence/retry': ADMINS,

  'GET /v1/operator/audit': 'operator',
  'GET /v1/operator/dead-letters': 'operator',
  'GET /v1/operator/dead-letters/:stream/:sequence': 'operator',
  'POST /v1/operator/dead-letters/:stream/:sequence/retry': 'operator',

  'GET /v1/events': ['approver', 'author', 'admin', 'auditor'],
};

/** @param route path pattern as the router has it, `/v1/plans/:planId` */
export function accessOf(method: string, route: string): Access | undefined {
  const name = `${method} ${route}`;
  return Object.hasOwn(ROUTE_ROLES, name) ? ROUTE_ROLES[name] : undefined;
}

const patterns = Object.keys(ROUTE_ROLES).map((name) => {
  const [method, route] = name.split(' ') as [string, string];
  return { method, matches: new RegExp(`^${route.replace(/:[a-zA-Z]+/g, '[^/]+')}$`) };
});

/** Methods that a path takes; empty when there is no such path. */
export function methodsOf(path: string): string[] {
  return [...new Set(patterns.filter(({ matches }) => matches.test(path)).map(({ method }) => method))].sort();
}
