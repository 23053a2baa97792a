import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { TENANT_ID_PATTERN, type ApiKeyRecord } from '@countersign/contracts';
import type { IssuedKeyView, KeyView } from '@countersign/contracts/http';

/** `csk_<tenant>_<keyId>_<secret>`. A tenant's and a key's id hold no `_`; a secret may, so it is what is left. */
export interface ApiKey {
  readonly tenant: string;
  readonly keyId: string;
  readonly secret: string;
}

const PREFIX = 'csk_';
const KEY_ID_PATTERN = /^[a-z0-9]{1,40}$/;
const SECRET_PATTERN = /^[A-Za-z0-9_-]{16,128}$/;
const SECRET_BYTES = 32;

/** Undefined when it is not one; says nothing of whether it is valid. */
export function parseApiKey(text: string): ApiKey | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const tenantEnd = text.indexOf('_', PREFIX.length);
  const keyEnd = tenantEnd < 0 ? -1 : text.indexOf('_', tenantEnd + 1);
  if (keyEnd < 0) return undefined;
  const key = { tenant: text.slice(PREFIX.length, tenantEnd), keyId: text.slice(tenantEnd + 1, keyEnd), secret: text.slice(keyEnd + 1) };
  return TENANT_ID_PATTERN.test(key.tenant) && KEY_ID_PATTERN.test(key.keyId) && SECRET_PATTERN.test(key.secret) ? key : undefined;
}

/** The bearer token of an `Authorization` header. */
export function bearerOf(header: string | undefined): string | undefined {
  const match = header === undefined || header.length > 512 ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(header);
  return match?.[1];
}

/** A new key: its whole text, which is shown once, and the record, which is kept. */
export function makeApiKey(tenant: string, keyId: string, who: Pick<ApiKeyRecord, 'principal' | 'roles' | 'groups'>): { text: string; record: ApiKeyRecord } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return {
    text: `${PREFIX}${tenant}_${keyId}_${secret}`,
    record: { keyId, secretHash: hashOf(secret), principal: who.principal, roles: [...new Set(who.roles)], ...(who.groups?.length ? { groups: [...new Set(who.groups)].sort() } : {}) },
  };
}

export type NewKey = ReturnType<typeof makeApiKey>;

/** Without its hash. */
export const keyView = ({ keyId, principal, roles, groups }: ApiKeyRecord): KeyView => ({ keyId, principal, roles: [...roles], ...(groups ? { groups: [...groups] } : {}) });
export const issuedView = ({ text, record }: NewKey): IssuedKeyView => ({ ...keyView(record), key: text });

export const keyIdFrom = (hash: string): string => `k${hash.slice(0, 16)}`;

/** SHA-256 of the text, lower-case hex. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Stands for the hash of a key that does not exist, so that a wrong key id takes as long as a wrong secret. */
const NO_KEY = hashOf(randomBytes(SECRET_BYTES).toString('hex'));

/** In constant time. @param expectedHash hex; undefined never matches */
export function secretMatches(secret: string, expectedHash: string | undefined): boolean {
  const equal = timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), bytesOf(expectedHash));
  return equal && expectedHash !== undefined;
}

function bytesOf(hash: string | undefined): Buffer {
  const bytes = Buffer.from(hash ?? NO_KEY, 'hex');
  return bytes.length === 32 ? bytes : Buffer.from(NO_KEY, 'hex');
}
