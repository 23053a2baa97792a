import { FLOW, SERVICES, TENANT_ID_PATTERN, parseEventSubject, parseOutboxSubject } from '@countersign/contracts';
import { decodeStored, firedTimer } from '@countersign/event-log-jetstream';
import { GateError } from '@countersign/kernel';
import type { ServiceInfra } from '@countersign/service-host';
import type { LetterMessage } from '../ports.js';

type Broker = ServiceInfra['broker'];
type Found = NonNullable<Awaited<ReturnType<Broker['manager']['streams']['getMessage']>>>;

/** Every stream that some service is delivered from; each has its messages shown to the gateway. */
const DELIVERED = new Set<string>(SERVICES.flatMap((service) => FLOW[service].consumes.map(({ stream }) => stream)));

/**
 * The message of a dead letter, from its stream's leader, and whose it is. What cannot be read belongs to nobody here.
 * @throws GateError UNAVAILABLE when the stream does not answer: nobody is told that there is no letter for that
 */
export async function letterMessage({ manager }: Broker, stream: string, sequence: number): Promise<LetterMessage | undefined> {
  if (!DELIVERED.has(stream)) return undefined;
  const found = await manager.streams.getMessage(stream, { seq: sequence }).catch((error: unknown) => {
    throw new GateError('UNAVAILABLE', `The dead letter ${stream}:${sequence} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return found ? { ...tenantOf(found.subject), ...eventOf(found, stream) } : undefined;
}

/** Out of the subject alone, so that an event that cannot be read has an owner too. */
export function tenantOf(subject: string): Pick<LetterMessage, 'tenant'> {
  const [what, ownerOfTimer] = firedTimer('planner', subject)?.split('.') ?? [];
  const tenant = parseEventSubject(subject)?.key.tenant ?? parseOutboxSubject(subject)?.tenant ?? (what === 'plan' ? ownerOfTimer : undefined);
  return tenant !== undefined && TENANT_ID_PATTERN.test(tenant) ? { tenant } : {};
}

function eventOf(found: Found, stream: string): Pick<LetterMessage, 'event'> {
  if (!parseEventSubject(found.subject)) return {};
  try {
    return { event: decodeStored({ subject: found.subject, data: found.data, headers: found.header, info: { stream, streamSequence: found.seq } }) };
  } catch (error) {
    if (error instanceof GateError) return {};
    throw error;
  }
}
