/**
 * Every refusal has a literal code; this table maps it to HTTP and says the way out. Never put a secret, a stack or
 * another tenant's fact into a message.
 */
export const ERROR_CODES = {
  MALFORMED_JSON: { http: 400, title: 'The body is not JSON' },
  INVALID_REQUEST: { http: 400, title: 'The request does not have the documented shape' },
  METHOD_NOT_ALLOWED: { http: 405, title: 'This path does not take that method' },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, title: 'The body’s Content-Type is not one this path takes' },
  BODY_TOO_LARGE: { http: 413, title: 'The body is larger than the limit' },
  REQUEST_TOO_SLOW: { http: 408, title: 'The request did not arrive in time' },
  UNAUTHENTICATED: { http: 401, title: 'No valid API key was given' },
  FORBIDDEN: { http: 403, title: 'This key may not do that' },
  NOT_FOUND: { http: 404, title: 'There is no such thing in this tenant' },
  TENANT_EXISTS: { http: 409, title: 'A tenant of that id exists' },
  PROVIDER_UNKNOWN: { http: 422, title: 'No provider of that name is registered' },
  PROVIDER_UNREACHABLE: { http: 502, title: 'The provider could not be started or did not answer' },
  PROVIDER_INVALID: { http: 422, title: 'The provider advertises something that is not allowed' },
  KIND_NOT_SUPPORTED: { http: 422, title: 'Operations of this kind cannot be registered yet' },
  LOCAL_PROCESSES_FORBIDDEN: { http: 403, title: 'This tenant may not register providers that run on the gate’s own machine' },
  OPERATION_UNKNOWN: { http: 422, title: 'The provider has no operation of that name' },
  INPUT_INVALID: { http: 422, title: 'An input does not fit its operation’s schema' },
  PLAN_EMPTY: { http: 422, title: 'A plan needs at least one item' },
  PLAN_TOO_LARGE: { http: 422, title: 'A plan has at most 1,000 items' },
  DUPLICATE_CALL_ID: { http: 422, title: 'Two items of the plan have the same call id' },
  SESSION_ENDED: { http: 409, title: 'The session has ended' },
  IDEMPOTENCY_KEY_REUSED: { http: 422, title: 'The same Idempotency-Key came with another body' },
  KEY_ALREADY_ISSUED: { http: 409, title: 'A key was issued under this Idempotency-Key; its secret cannot be shown again' },
  ALREADY_RESOLVED: { http: 409, title: 'The item has its decision already' },
  NOT_ASKED: { http: 409, title: 'The item does not wait for a person' },
  ITEM_CHANGED: { http: 409, title: 'The item is no longer what the answer names' },
  APPROVAL_EXPIRED: { http: 410, title: 'The time to answer is over' },
  CORRECTED_INPUT_INVALID: { http: 422, title: 'The corrected input does not fit its operation’s schema; the item waits on' },
  TOO_MANY_CORRECTIONS: { http: 409, title: 'The item was corrected as often as it may be' },
  REASON_REQUIRED: { http: 422, title: 'The rule that asks wants a reason with the answer' },
  SCOPE_NOT_OFFERED: { http: 409, title: 'This ask cannot be answered for more than this once' },
  NARROW_REQUIRED: { http: 422, title: 'A grant for this operation must be narrowed by a condition' },
  NARROW_INVALID: { http: 422, title: 'The condition does not cover the very call it is given for' },
  GRANT_INEFFECTIVE: { http: 409, title: 'The grant would not hold: another rule wins over it' },
  POLICY_STORE_READ_ONLY: { http: 409, title: 'This tenant keeps no standing rules; answer once or for the session' },
  STANDING_RULE_CONFLICT: { http: 409, title: 'An operator’s rule has that match already' },
  RESERVATION_LAPSED: { http: 409, title: 'The reservation of the grant has lapsed; answer again' },
  VERSION_UNKNOWN: { http: 404, title: 'There is no such version of the bundle' },
  MODE_FORBIDDEN: { http: 403, title: 'This tenant does not permit that permission mode' },
  URL_NOT_ALLOWED: { http: 422, title: 'The gate does not call that address' },
  SECOND_PERSON_REQUIRED: { http: 403, title: 'Somebody else must do that' },
  ASSERTION_INVALID: { http: 403, title: 'The answer’s signature does not verify' },
  POLICY_INVALID: { http: 422, title: 'The bundle is refused' },
  POLICY_CONFLICT: { http: 422, title: 'Two rules of the bundle conflict' },
  BUSY: { http: 503, title: 'Too many writers on the same thing; try again' },
  UNAVAILABLE: { http: 503, title: 'A part of the gate does not answer; nothing was decided' },
  TIMEOUT: { http: 504, title: 'A part of the gate did not answer in time; ask again to see what happened' },
  TOO_MANY_REQUESTS: { http: 429, title: 'More than may be asked at once; Retry-After says when to try again' },
  CURSOR_INVALID: { http: 400, title: 'The cursor is not one of ours' },
  EVENT_UNREADABLE: { http: 503, title: 'The log holds an event that this build cannot read' },
  AGGREGATE_TRUNCATED: { http: 503, title: 'The log lacks events of this aggregate' },
  AGGREGATE_TOO_LONG: { http: 409, title: 'This aggregate holds all the events it may' },
  BLOB_MISSING: { http: 503, title: 'A stored body is missing or does not fit its digest' },
  DEAD_LETTER_UNKNOWN: { http: 404, title: 'There is no such dead letter' },
  AUDIT_MISMATCH: { http: 409, title: 'What the database says differs from the log' },
  LOG_REGRESSED: { http: 503, title: 'The log ends before the audit’s checkpoint' },
  INTERNAL: { http: 500, title: 'A fault of ours; it is in the service’s log under this id' },
} as const satisfies Record<string, { http: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** How an error travels over NATS and HTTP. `details` is safe to show. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: unknown;
}
