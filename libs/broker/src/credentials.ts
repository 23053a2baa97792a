import { randomBytes } from 'node:crypto';
import { SERVICES, type ServiceName } from '@countersign/contracts';

export interface BrokerUser {
  readonly user: string;
  /** Never logged. */
  readonly password: string;
}

/** One user a service, and the set-up job's, which alone may create streams and consumers. Kept by the caller (mode 0600). */
export interface BrokerCredentials {
  readonly setup: BrokerUser;
  readonly services: Readonly<Record<ServiceName, BrokerUser>>;
  /** By which the servers of a cluster know each other. */
  readonly routes: BrokerUser;
}

/** New passwords of 32 random bytes each. */
export function generateCredentials(): BrokerCredentials {
  const services = Object.fromEntries(SERVICES.map((service) => [service, newUser(service)]));
  return { setup: newUser('setup'), services: services as Record<ServiceName, BrokerUser>, routes: newUser('routes') };
}

const newUser = (user: string): BrokerUser => ({ user, password: randomBytes(32).toString('base64url') });
