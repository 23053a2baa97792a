import { createHash } from 'node:crypto';
import { SERVICES, type ServiceName } from '@countersign/contracts';
import type { ServiceConfig } from '@countersign/service-host';
import type { Secrets } from './secrets.js';

/** What each service is told: its own credentials, and of the rest only what it needs. */
export function serviceConfigs(at: { readonly natsUrl: string; readonly databaseUrl: string; readonly port: number }, secrets: Secrets): Record<ServiceName, ServiceConfig> {
  const { outboundKey, assertion: { keyId, privateKey, publicKey } } = secrets;
  const own: Partial<Record<ServiceName, Omit<ServiceConfig, 'broker'>>> = {
    gateway: {
      http: { host: '127.0.0.1', port: at.port },
      assertionKey: { keyId, privateKey },
      operatorKeyHash: createHash('sha256').update(secrets.operatorKey).digest('hex'),
      outboundKey,
    },
    policy: { outboundKey },
    notifier: { outboundKey, publicUrl: `http://127.0.0.1:${at.port}` },
    planner: { assertionPublicKeys: { [keyId]: publicKey } },
    audit: { database: { url: withoutCredentials(at.databaseUrl), passwords: secrets.database } },
  };
  const configOf = (service: ServiceName): ServiceConfig => ({ broker: { urls: [at.natsUrl], ...secrets.broker.services[service] }, ...own[service] });
  return Object.fromEntries(SERVICES.map((service) => [service, configOf(service)])) as Record<ServiceName, ServiceConfig>;
}

/** The administrator's name and password stay here. */
function withoutCredentials(url: string): string {
  const address = new URL(url);
  address.username = '';
  address.password = '';
  return address.toString();
}
