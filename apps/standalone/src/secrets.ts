import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AuditPasswords } from '@countersign/audit-store';
import { generateCredentials, type BrokerCredentials } from '@countersign/broker';
import { readJson, writePrivateJson } from './private-file.js';

/** What one installation knows and nobody else may: made once, kept in its state folder with mode 0600. */
export interface Secrets {
  readonly format: 1;
  readonly broker: BrokerCredentials;
  readonly database: AuditPasswords;
  /** Ed25519: the gateway signs people's answers with it. */
  readonly assertion: { readonly keyId: string; readonly privateKey: string; readonly publicKey: string };
  /** Of the installation's operator: registers tenants and issues keys to those that lost theirs; sees nothing of any tenant. */
  readonly operatorKey: string;
  /** Base64 of 32 bytes: the secrets of webhooks and veto subscribers are derived from it. */
  readonly outboundKey: string;
}

/** What an earlier release made is kept as it is; what it did not know of yet is added. */
export async function loadSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'secrets.json');
  const known = await readJson<Partial<Secrets>>(path);
  const secrets = completed(known ?? {});
  if (!isDeepStrictEqual(secrets, known)) await writePrivateJson(path, secrets);
  return secrets;
}

function completed(known: Partial<Secrets>): Secrets {
  const made = makeSecrets();
  return { ...made, ...known, broker: { ...made.broker, ...known.broker, services: { ...made.broker.services, ...known.broker?.services } } };
}

const password = (): string => randomBytes(32).toString('base64url');

function makeSecrets(): Secrets {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    format: 1,
    broker: generateCredentials(),
    database: { projector: password(), rebuilder: password(), reader: password() },
    assertion: { keyId: randomBytes(6).toString('hex'), privateKey, publicKey },
    operatorKey: `cso_${password()}`,
    outboundKey: randomBytes(32).toString('base64'),
  };
}
