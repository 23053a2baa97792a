import type { NatsConnection, ServerInfo } from '@nats-io/transport-node';

/** Older servers silently ignore the settings the log rests on. */
export const MINIMUM_SERVER = [2, 14] as const;
/** The JetStream API level of that server. */
export const MINIMUM_API_LEVEL = 4;

/** What is wrong with the server a connection leads to; empty when it suits. */
export function serverProblems(connection: NatsConnection): string[] {
  const info = connection.info as ServerInfo & { api_lvl?: number };
  return serverInfoProblems(info);
}

export function serverInfoProblems(info: Pick<ServerInfo, 'version'> & { api_lvl?: number }): string[] {
  const [major = 0, minor = 0] = info.version.split('.').map((part) => Number.parseInt(part, 10));
  const [needMajor, needMinor] = MINIMUM_SERVER;
  if (!(major > needMajor || (major === needMajor && minor >= needMinor))) {
    return [`the server is version ${info.version}; ${needMajor}.${needMinor} or newer is needed, since older ones silently ignore what the log rests on`];
  }
  if ((info.api_lvl ?? 0) < MINIMUM_API_LEVEL) return [`the server offers JetStream API level ${info.api_lvl ?? 'none'}; ${MINIMUM_API_LEVEL} is needed`];
  return [];
}

/** The broker is not as it must be. Nothing was changed. */
export class BrokerUnsuitable extends Error {
  constructor(what: string, readonly problems: readonly string[], wayOut: string) {
    super([what, ...problems.map((problem) => `  - ${problem}`), wayOut].join('\n'));
    this.name = 'BrokerUnsuitable';
  }
}
