import { readFile } from 'node:fs/promises';
import type { ServiceConfig } from './service.js';

/** The configuration is missing or not what it must be. Its text names the setting and never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @throws ConfigError */
export async function readConfig(env: NodeJS.ProcessEnv): Promise<ServiceConfig> {
  const path = env.COUNTERSIGN_CONFIG;
  if (!path) throw new ConfigError('COUNTERSIGN_CONFIG names no file: it must be the path of this service’s JSON configuration');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`COUNTERSIGN_CONFIG names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  return checkConfig(parse(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError('The file that COUNTERSIGN_CONFIG names is not JSON'); // the parser's own words would quote the file
  }
}

/** @throws ConfigError naming the first setting that does not fit */
export function checkConfig(value: unknown): ServiceConfig {
  const config = object(value, 'the configuration');
  const broker = object(config.broker, 'broker');
  const urls = broker.urls;
  if (!Array.isArray(urls) || urls.length === 0 || !urls.every((url) => typeof url === 'string' && url !== '')) refuse('broker.urls', 'a list of addresses');
  text(broker.user, 'broker.user');
  text(broker.password, 'broker.password');
  if (config.database !== undefined) checkDatabase(object(config.database, 'database'));
  if (config.http !== undefined) checkHttp(object(config.http, 'http'));
  if (config.assertionKey !== undefined) {
    const key = object(config.assertionKey, 'assertionKey');
    text(key.keyId, 'assertionKey.keyId');
    text(key.privateKey, 'assertionKey.privateKey');
  }
  if (config.assertionPublicKeys !== undefined) for (const [id, key] of Object.entries(object(config.assertionPublicKeys, 'assertionPublicKeys'))) text(key, `assertionPublicKeys.${id}`);
  if (config.operatorKeyHash !== undefined) text(config.operatorKeyHash, 'operatorKeyHash');
  if (config.outboundKey !== undefined) checkOutboundKey(config.outboundKey);
  if (config.publicUrl !== undefined) checkPublicUrl(config.publicUrl);
  return value as ServiceConfig;
}

function checkDatabase(database: Record<string, unknown>): void {
  text(database.url, 'database.url');
  const passwords = object(database.passwords, 'database.passwords');
  for (const role of ['projector', 'rebuilder', 'reader']) text(passwords[role], `database.passwords.${role}`);
}

function checkHttp(http: Record<string, unknown>): void {
  text(http.host, 'http.host');
  if (typeof http.port !== 'number' || !Number.isInteger(http.port) || http.port < 0 || http.port > 65_535) refuse('http.port', 'a port, 0 for any free one');
}

function checkOutboundKey(key: unknown): void {
  if (typeof key !== 'string' || !/^[A-Za-z0-9+/]{43}=$/.test(key)) refuse('outboundKey', '32 bytes in base64');
}

function checkPublicUrl(url: unknown): void {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  const plain = parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === '';
  if (!plain) refuse('publicUrl', 'an http or https URL without credentials and query');
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(name, 'an object');
  return value as Record<string, unknown>;
}

function text(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') refuse(name, 'a text');
}

function refuse(name: string, what: string): never {
  throw new ConfigError(`In the configuration, ${name} must be ${what}`);
}
