import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import type { AnswerAssertion } from '@countersign/contracts';
import { GateError, canonicalJson } from '@countersign/kernel';

/** Signs who answered what. Planner verifies it and keeps it in the event, so it can be checked offline for ever. */
export class AnswerSigner {
  private readonly key: KeyObject;
  private readonly keyId: string;

  /** @param config the private key is PKCS#8 PEM, Ed25519; it is never shown or logged */
  constructor(config: { readonly keyId: string; readonly privateKey: string }) {
    this.key = createPrivateKey(config.privateKey);
    this.keyId = config.keyId;
    if (this.key.asymmetricKeyType !== 'ed25519') throw new GateError('INTERNAL', 'The key that signs answers must be Ed25519');
  }

  /** Over the canonical JSON of `claims`. */
  sign(claims: AnswerAssertion['claims']): AnswerAssertion {
    const signature = sign(null, Buffer.from(canonicalJson(claims), 'utf8'), this.key);
    return { claims, keyId: this.keyId, signature: signature.toString('base64url') };
  }
}
