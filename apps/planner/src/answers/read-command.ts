import { LIMITS, SCOPES, type AnswerItem, type Command, type CorrectItem, type GrantNarrow } from '@countersign/contracts';
import type { AnswerOfItem, CorrectionOfItem } from '@countersign/domain-plan';
import { GateError } from '@countersign/kernel';

/** Without the moment of the decision, which is the decider's to add. @throws GateError INVALID_REQUEST */
export function answerOf(command: Command<AnswerItem>): Omit<AnswerOfItem, 'decidedAt'> {
  const { context, itemId, itemDigest, decision, roles, scope, narrow, grantExpiresAt, reason, assertion, at } = command;
  if (decision !== 'approve' && decision !== 'reject') throw new GateError('INVALID_REQUEST', 'A person approves or rejects');
  if (!SCOPES.includes(scope)) throw new GateError('INVALID_REQUEST', `A scope is one of ${SCOPES.join(', ')}`);
  if (scope === 'once' && narrow !== undefined) throw new GateError('INVALID_REQUEST', 'Only an answer for the session or for always can be narrowed');
  if (scope !== 'always' && grantExpiresAt !== undefined) throw new GateError('INVALID_REQUEST', 'Only an answer for always has an end');
  if (narrow !== undefined) checkNarrow(narrow);
  if (grantExpiresAt !== undefined) checkLater(grantExpiresAt, at);
  checkPerson(command);
  return {
    itemId, itemDigest, decision, scope, principal: context.principal, roles, saidAt: at, assertion,
    ...(narrow === undefined ? {} : { narrow }), ...(grantExpiresAt === undefined ? {} : { grantExpiresAt }), ...(reason === undefined ? {} : { reason }),
  };
}

/** @throws GateError INVALID_REQUEST */
export function correctionOf(command: Command<CorrectItem>): Omit<CorrectionOfItem, 'decidedAt' | 'verdictDueAt' | 'input'> {
  const { context, itemId, itemDigest, roles, reason, assertion, at } = command;
  checkPerson(command);
  return { itemId, itemDigest, principal: context.principal, roles, saidAt: at, assertion, ...(reason === undefined ? {} : { reason }) };
}

function checkPerson({ roles, reason, at }: { readonly roles: readonly string[]; readonly reason?: string; readonly at: string }): void {
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string')) throw new GateError('INVALID_REQUEST', 'An answer names the roles of whoever gives it');
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > LIMITS.reasonChars)) {
    throw new GateError('INVALID_REQUEST', `A reason is a text of at most ${LIMITS.reasonChars} characters`);
  }
  // without a time that can be compared nothing would ever be late
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) throw new GateError('INVALID_REQUEST', 'An answer says when it was given');
}

function checkLater(expiresAt: string, at: string): void {
  if (!(Date.parse(expiresAt) > Date.parse(at))) throw new GateError('INVALID_REQUEST', 'The end of a grant is later than its answer');
}

const NARROW_FIELDS: Readonly<Record<GrantNarrow['kind'], readonly string[]>> = {
  exact_input: ['inputDigest'], path_prefix: ['field', 'prefix'], host: ['field', 'host'],
};

/** Its form only; whether it covers the call is policy's to say. */
function checkNarrow(narrow: GrantNarrow): void {
  const fields = typeof narrow === 'object' && narrow !== null && Object.hasOwn(NARROW_FIELDS, narrow.kind) ? ['kind', ...NARROW_FIELDS[narrow.kind]] : undefined;
  const given: Readonly<Record<string, unknown>> = { ...narrow };
  const fits = fields !== undefined && fields.length === Object.keys(given).length && fields.every((field) => typeof given[field] === 'string');
  if (!fits) throw new GateError('NARROW_INVALID', 'A condition is an exact input, a path prefix or a host');
}
