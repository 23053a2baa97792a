import { ADVISORIES_STREAM, FLOW, SERVICES, aggregatesWrittenBy, deadLetterRetrySubject, retriesDeadLetters, type ServiceName } from '@countersign/contracts';

/** Under its own name, `$JS.API`, a service's account would answer first: it has no JetStream. */
export const API_PREFIX = 'LOGAPI';
/** A service listens for answers only here; no other can be its inbox. */
export const inboxPrefix = (service: ServiceName): string => `_INBOX.${service}`;

/** One thing the account LOG lets one service do. */
export interface Grant {
  /** As LOG exports it. */
  readonly subject: string;
  /** As the service's account has it; the same where absent. */
  readonly as?: string;
  /** `publish`: one answer a message. `stream`: several answers. `feed`: messages flow to the service. */
  readonly kind: 'publish' | 'stream' | 'feed';
}

/** Everything a service may do with the streams, from FLOW. What is not in here it cannot do. */
export function grantsOf(service: ServiceName): Grant[] {
  return [...writes(service), ...ownConsumers(service), ...readableStreams(service).flatMap(reads), ...singleMessages(service), ...infoOnly(service), ...feeds(service)];
}

/** Streams whose messages a service may read at will. */
export function readableStreams(service: ServiceName): string[] {
  const { reads: logs, blobs, results } = FLOW[service];
  return [
    ...logs,
    ...(blobs === 'none' ? [] : ['BLOBS']),
    ...(results === 'none' ? [] : ['RESULTS']),
    ...(service === 'gateway' ? [ADVISORIES_STREAM] : []),
  ];
}

/** Every stream a service has to do with: the ones whose configuration it checks when it starts. */
export function streamsUsedBy(service: ServiceName): string[] {
  const { consumes, timers } = FLOW[service];
  return [...new Set([...readableStreams(service), ...consumes.map(({ stream }) => stream), ...(timers ? [`TIMER_${service}`] : [])])];
}

function writes(service: ServiceName): Grant[] {
  const { blobs, results, timers } = FLOW[service];
  const subjects = [
    ...aggregatesWrittenBy(service).map((aggregate) => `evt.*.*.${aggregate}.*.${service}.*`),
    ...(blobs === 'write' ? ['blob.>'] : []),
    ...(results === 'write' ? ['result.>'] : []),
    ...(FLOW[service].outbox ? [`outbox.${service}.>`] : []),
    ...(timers ? [`timer.${service}.set.>`] : []), // never `fire`: the server alone fires
    ...(retriesDeadLetters(service) ? [deadLetterRetrySubject(service)] : []),
  ];
  return subjects.map((subject) => ({ subject, kind: 'publish' }));
}

function ownConsumers(service: ServiceName): Grant[] {
  return FLOW[service].consumes.flatMap(({ stream }): Grant[] => [
    api(`CONSUMER.INFO.${stream}.${service}`, 'publish'),
    api(`CONSUMER.MSG.NEXT.${stream}.${service}`, 'stream'),
    ...ackSubjects(stream, service),
  ]);
}

/**
 * Both forms: `$JS.ACK.<stream>.<consumer>.…` and, once the server's flag `js_ack_fc_v2` becomes the default,
 * `$JS.ACK.<domain>.<account>.<stream>.<consumer>.…`. Counted out, since an open end could spell another consumer's.
 */
const ackSubjects = (stream: string, service: ServiceName): Grant[] => [
  { subject: `$JS.ACK.${stream}.${service}.*.*.*.*.*`, kind: 'publish' },
  { subject: `$JS.ACK.*.*.${stream}.${service}.*.*.*.*.>`, kind: 'publish' },
];

function reads(stream: string): Grant[] {
  return [
    api(`DIRECT.GET.${stream}`, 'stream'),
    api(`DIRECT.GET.${stream}.>`, 'stream'),
    api(`STREAM.MSG.GET.${stream}`, 'publish'),
    api(`STREAM.INFO.${stream}`, 'publish'),
  ];
}

/** A stream that a service uses without reading it at will still has its configuration checked. */
function infoOnly(service: ServiceName): Grant[] {
  const readable = new Set(readableStreams(service));
  return streamsUsedBy(service).filter((stream) => !readable.has(stream)).map((stream) => api(`STREAM.INFO.${stream}`, 'publish'));
}

/** A timer or delivery that became a dead letter is run again by its owner, and shown to its tenant by the gateway: one message, by its sequence. */
function singleMessages(service: ServiceName): Grant[] {
  const owners = service === 'gateway' ? SERVICES : [service];
  return owners.flatMap((owner) => [...(FLOW[owner].timers ? [`TIMER_${owner}`] : []), ...(FLOW[owner].outbox ? ['OUTBOX'] : [])])
    .map((stream) => api(`STREAM.MSG.GET.${stream}`, 'publish'));
}

const feeds = (service: ServiceName): Grant[] => (FLOW[service].live ? [{ subject: 'live.>', kind: 'feed' }] : []);

const api = (rest: string, kind: Grant['kind']): Grant => ({ subject: `$JS.API.${rest}`, as: `${API_PREFIX}.${rest}`, kind });

/** Commands of others that a service may send beside the gateway, one subject each. */
export const callsOf = (service: ServiceName): { readonly account: string; readonly subject: string }[] =>
  (FLOW[service].calls ?? []).map((call) => ({ account: FLOW[call.service].account, subject: `cmd.${call.service}.${call.verb}` }));

/** Services that others may send commands to. The gateway's own stay in its account. */
export const commandServers = (): ServiceName[] => SERVICES.filter((service) => service !== 'gateway');
