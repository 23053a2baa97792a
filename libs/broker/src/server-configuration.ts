import { natsConfiguration } from './accounts.js';
import type { BrokerCredentials, BrokerUser } from './credentials.js';

export interface ServerSettings {
  /** Different for each server of a cluster. */
  readonly serverName: string;
  /** `<host>:<port>` for clients. */
  readonly listen: string;
  /** Folder of the streams, on a disk of the server's own. */
  readonly storeDir: string;
  readonly cluster?: {
    readonly name: string;
    /** `<host>:<port>` for the other servers. */
    readonly listen: string;
    /** `nats://<host>:<port>` of each other server. */
    readonly routes: readonly string[];
  };
}

/**
 * The whole configuration of one server that is run by others than us (a container, a machine). Acknowledged means on
 * the disk. Holds passwords: write it with mode 0600.
 */
export function serverConfiguration(credentials: BrokerCredentials, settings: ServerSettings): string {
  const { serverName, listen, storeDir, cluster } = settings;
  return [
    `server_name: ${JSON.stringify(serverName)}`,
    `listen: ${JSON.stringify(listen)}`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)}, sync_interval: always }`,
    ...(cluster ? [`cluster: ${JSON.stringify(clusterBlock(cluster, credentials.routes))}`] : []),
    natsConfiguration(credentials),
  ].join('\n');
}

/** A server that does not know the routes' password cannot join: a member of the cluster may write anything. */
function clusterBlock({ name, listen, routes }: NonNullable<ServerSettings['cluster']>, { user, password }: BrokerUser): object {
  return {
    name, listen,
    authorization: { user, password },
    routes: routes.map((route) => route.replace('://', `://${user}:${password}@`)),
  };
}
