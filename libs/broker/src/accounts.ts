import { FLOW, SERVICES, type ServiceName } from '@countersign/contracts';
import type { BrokerCredentials } from './credentials.js';
import { callsOf, commandServers, grantsOf, inboxPrefix, type Grant } from './grants.js';

interface Export { service?: string; stream?: string; response_type?: 'stream'; accounts: string[] }
interface Import { service?: { account: string; subject: string }; stream?: { account: string; subject: string }; to?: string }
interface User { user: string; password: string; permissions?: object }
interface Account { jetstream?: true; exports: Export[]; imports: Import[]; users: User[] }

/** The account that holds every stream. Only the set-up job connects to it. */
export const LOG_ACCOUNT = 'LOG';

/**
 * The part of a nats-server configuration that says who may do what, from FLOW and nothing else; the same for the
 * embedded server, a container and a cluster. Holds passwords: write it with mode 0600.
 */
export function natsConfiguration(credentials: BrokerCredentials): string {
  return `accounts: ${JSON.stringify(accounts(credentials), null, 2)}\n`;
}

/**
 * An account for each service, because permissions inside one account do not bind what the server publishes for a user:
 * through the reply subject of a read or of an acknowledgement a service could write any fact into the log.
 */
export function accounts(credentials: BrokerCredentials): Record<string, Account> {
  const all: Record<string, Account> = { [LOG_ACCOUNT]: logAccount(credentials) };
  for (const service of SERVICES) all[FLOW[service].account] = serviceAccount(service, credentials);
  return all;
}

function logAccount({ setup }: BrokerCredentials): Account {
  const exports = new Map<string, Export>();
  for (const service of SERVICES) {
    for (const grant of grantsOf(service)) {
      const known = exports.get(grant.subject) ?? exportOf(grant);
      exports.set(grant.subject, { ...known, accounts: [...known.accounts, FLOW[service].account] });
    }
  }
  return { jetstream: true, exports: [...exports.values()], imports: [], users: [setup] };
}

function exportOf({ subject, kind }: Grant): Export {
  if (kind === 'feed') return { stream: subject, accounts: [] };
  return { service: subject, ...(kind === 'stream' ? { response_type: 'stream' as const } : {}), accounts: [] };
}

function serviceAccount(service: ServiceName, credentials: BrokerCredentials): Account {
  const isGateway = service === 'gateway';
  return {
    exports: isGateway ? [] : commandExports(service),
    imports: [...grantsOf(service).map(importOf), ...(isGateway ? commandServers().map(commandImport) : []), ...callsOf(service).map((service) => ({ service }))],
    users: [{ ...credentials.services[service], permissions: permissions(service) }],
  };
}

/** All to the gateway; to another service only the very commands it calls. */
function commandExports(server: ServiceName): Export[] {
  const callers = SERVICES.flatMap((caller) => callsOf(caller).filter(({ account }) => account === FLOW[server].account).map(({ subject }) => ({ caller, subject })));
  return [
    { service: `cmd.${server}.>`, accounts: [FLOW.gateway.account] },
    ...callers.map(({ caller, subject }) => ({ service: subject, accounts: [FLOW[caller].account] })),
  ];
}

function importOf({ subject, as, kind }: Grant): Import {
  const source = { account: LOG_ACCOUNT, subject };
  return { ...(kind === 'feed' ? { stream: source } : { service: source }), ...(as ? { to: as } : {}) };
}

const commandImport = (server: ServiceName): Import => ({ service: { account: FLOW[server].account, subject: `cmd.${server}.>` } });

/** Inside its account as well, so that what is refused fails at once as a permission violation and not as silence. */
function permissions(service: ServiceName): object {
  const grants = grantsOf(service);
  const commands = service === 'gateway' ? SERVICES.map((server) => `cmd.${server}.>`) : callsOf(service).map(({ subject }) => subject);
  return {
    publish: { allow: [...grants.filter(({ kind }) => kind !== 'feed').map(({ subject, as }) => as ?? subject), ...commands] },
    subscribe: { allow: [`${inboxPrefix(service)}.>`, `cmd.${service}.>`, ...grants.filter(({ kind }) => kind === 'feed').map(({ subject }) => subject)] },
    // One answer to each command it was sent.
    allow_responses: { max: 1, expires: '2m' },
  };
}
