import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { AnswerAssertion, AnswerItem, Command, CorrectItem } from '@countersign/contracts';
import { GateError, canonicalJson } from '@countersign/kernel';

/**
 * Checks that an answer was signed by a gateway (Ed25519 over the canonical JSON of its claims), and that what was signed
 * is what the command says. The assertion then stays in the event, so that anybody with the public key can check it again.
 */
export class AssertionVerifier {
  private readonly keys: ReadonlyMap<string, KeyObject>;

  /** @param publicKeys SPKI PEM by key id. @throws when a key is not an Ed25519 key */
  constructor(publicKeys: Readonly<Record<string, string>>) {
    this.keys = new Map(Object.entries(publicKeys).map(([keyId, pem]) => [keyId, ed25519Key(keyId, pem)]));
  }

  /** @throws GateError ASSERTION_INVALID */
  check(command: Command<AnswerItem> | Command<CorrectItem>): void {
    if (!claimsAreOf(command)) throw new GateError('ASSERTION_INVALID', 'The signed claims are not what the answer says');
    if (!this.isSigned(command.assertion)) throw new GateError('ASSERTION_INVALID');
  }

  private isSigned({ claims, keyId, signature }: AnswerAssertion): boolean {
    const key = this.keys.get(keyId);
    const bytes = Buffer.from(signature, 'base64url');
    // one spelling of each signature only: what is kept must be what was signed
    if (!key || bytes.toString('base64url') !== signature) return false;
    return verify(null, Buffer.from(canonicalJson(claims), 'utf8'), key, bytes);
  }
}

/**
 * Exactly these claims and no other, so that nothing is kept as signed that nobody looked at. Two that the oldest assertions lack say the
 * same whether they are left out or not: no roles, and scope `once`.
 */
function claimsAreOf(command: Command<AnswerItem> | Command<CorrectItem>): boolean {
  const { context, planId, itemId, itemDigest, roles, reason, at, assertion: { claims } } = command;
  const wanted: AnswerAssertion['claims'] = {
    tenant: context.tenant, plan: planId, itemId, itemDigest, principal: context.principal, method: 'api-key', at, roles,
    ...(reason === undefined ? {} : { reason }), ...claimsOfKind(command),
  };
  return canonicalJson({ ...claims, roles: claims.roles ?? [], scope: claims.scope ?? 'once' }) === canonicalJson({ ...wanted, scope: wanted.scope ?? 'once' });
}

type KindOfClaims = Pick<AnswerAssertion['claims'], 'decision' | 'scope' | 'narrow' | 'grantExpiresAt' | 'inputDigest'>;

function claimsOfKind(command: AnswerItem | CorrectItem): KindOfClaims {
  if ('input' in command) return { decision: 'correct', inputDigest: command.input.digest };
  const { decision, scope, narrow, grantExpiresAt } = command;
  return { decision, scope, ...(narrow === undefined ? {} : { narrow }), ...(grantExpiresAt === undefined ? {} : { grantExpiresAt }) };
}

function ed25519Key(keyId: string, pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`The assertion key ${keyId} is not an Ed25519 key`);
  return key;
}
