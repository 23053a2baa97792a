import { hkdfSync } from 'node:crypto';

/** Whose requests are signed. */
export interface SignedEndpoint {
  readonly tenant: string;
  readonly kind: 'veto' | 'webhook';
  readonly name: string;
  /** Rises when the name is registered again, so that it gets another secret. */
  readonly version: number;
}

const KEY_BYTES = 32;
const SECRET_BYTES = 32;

/**
 * `whsec_<base64>`: the secret of one endpoint, derived from the installation's key and therefore stored nowhere. Shown to
 * a person once, when the endpoint is registered; never in a log, an event or an error.
 * @param masterKey `ServiceConfig.outboundKey`: base64 of 32 bytes
 * @throws Error when the key is none
 */
export function endpointSecret(masterKey: string, { tenant, kind, name, version }: SignedEndpoint): string {
  const key = Buffer.from(masterKey, 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`The key for what the gate sends must be base64 of ${KEY_BYTES} bytes`);
  const info = JSON.stringify(['countersign outbound', 1, tenant, kind, name, version]);
  return `whsec_${Buffer.from(hkdfSync('sha256', key, '', info, SECRET_BYTES)).toString('base64')}`;
}
