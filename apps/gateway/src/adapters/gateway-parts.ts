import { GateError } from '@countersign/kernel';
import type { CommandContext, LogStream, ServiceName } from '@countersign/contracts';
import { parseEventSubject } from '@countersign/contracts';
import { LiveFeed, decodeStored, readFrom } from '@countersign/event-log-jetstream';
import type { ServiceInfra } from '@countersign/service-host';
import { CommandClient, DeadLetterOffice } from '@countersign/transport-jetstream';
import type { Commands, DeadLetters, GatewayParts, History, LetterMessage } from '../ports.js';

/** The edge's parts over the service's own connection. The feed is not started yet. */
export function gatewayParts(infra: ServiceInfra): GatewayParts & { readonly feed: LiveFeed } {
  const { config, broker, log, blobs, logger, now } = infra;
  const { assertionKey, operatorKeyHash } = config;
  if (!assertionKey) throw new Error('The gateway signs answers, and its configuration has no assertionKey');
  const client = new CommandClient(broker.connection);
  const feed = new LiveFeed({ ...broker, onFault: (fault) => logger.error({ fault: String(fault) }, 'a fault in the live feed') });
  return {
    config: { assertionKey, operatorKeyHash },
    log, blobs, logger, now, feed,
    history: historyOf(infra),
    commands: commandsOf(client),
    deadLetters: deadLettersOf(infra, client),
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
    message: async (stream, sequence) => messageFrom(await broker.manager.streams.getMessage(stream, { seq: sequence }), stream),
  };
}

type Found = Awaited<ReturnType<ServiceInfra['broker']['manager']['streams']['getMessage']>>;

function messageFrom(found: Found, stream: string): LetterMessage | undefined {
  if (!found) return undefined;
  const tenant = parseEventSubject(found.subject)?.key.tenant;
  try {
    const event = decodeStored({ subject: found.subject, data: found.data, headers: found.header, info: { stream, streamSequence: found.seq } });
    return { ...(tenant === undefined ? {} : { tenant }), event };
  } catch (error) {
    if (error instanceof GateError) return tenant === undefined ? {} : { tenant };
    throw error;
  }
}
