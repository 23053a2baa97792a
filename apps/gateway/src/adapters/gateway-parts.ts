import type { CommandContext, LogStream, ServiceName } from '@countersign/contracts';
import { LiveFeed, readFrom } from '@countersign/event-log-jetstream';
import { endpointSecret } from '@countersign/outbound';
import type { ServiceInfra } from '@countersign/service-host';
import { CommandClient, DeadLetterOffice } from '@countersign/transport-jetstream';
import type { Commands, DeadLetters, GatewayParts, History } from '../ports.js';
import { letterMessage } from './letter-message.js';

/** The edge's parts over the service's own connection. The feed is not started yet. */
export function gatewayParts(infra: ServiceInfra): GatewayParts & { readonly feed: LiveFeed } {
  const { config, broker, log, blobs, logger, now } = infra;
  const { assertionKey, operatorKeyHash, outboundKey } = config;
  if (!assertionKey) throw new Error('The gateway signs answers, and its configuration has no assertionKey');
  const client = new CommandClient(broker.connection);
  const feed = new LiveFeed({ ...broker, onFault: (fault) => logger.error({ fault: String(fault) }, 'a fault in the live feed') });
  return {
    config: { assertionKey, operatorKeyHash },
    log, blobs, logger, now, feed,
    history: historyOf(infra),
    commands: commandsOf(client),
    deadLetters: deadLettersOf(infra, client),
    ...(outboundKey === undefined ? {} : { endpointSecret: (endpoint) => endpointSecret(outboundKey, endpoint) }),
  };
}

const commandsOf = (client: CommandClient): Commands => ({
  call: (name, payload, context, options) => client.call(name, { ...payload, context }, options),
});

const historyOf = ({ broker }: ServiceInfra): History => ({
  from: (stream: LogStream, filter: string, after: number) => readFrom(broker, stream, filter, after),
});

function deadLettersOf({ broker }: ServiceInfra, client: CommandClient): DeadLetters {
  const office = new DeadLetterOffice(broker.manager, client);
  return {
    list: () => office.list(),
    retry: (service: ServiceName, stream: string, sequence: number, context: CommandContext) => office.retry(service, stream, sequence, context),
    message: (stream, sequence) => letterMessage(broker, stream, sequence),
  };
}
