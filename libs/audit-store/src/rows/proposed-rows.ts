import type { ReadableEvent } from './readable.js';
import { bigint, canonical, identifier, list, prose, record, sealed, text, time } from './cells.js';
import type { Facts, RowSink } from './row-sink.js';
import { Unprojectable } from './unprojectable.js';

type Fields = Record<string, unknown>;
const SNAPSHOT_COLUMNS = new Set(['provider', 'name', 'category', 'kind', 'risk', 'description', 'schemaDigest', 'inputSchema', 'outputSchema']);

/** The plan and the full snapshot of every item, from the event alone (`plan-apply-gate` § Snapshot rationale). */
export function proposed(event: ReadableEvent, common: Facts, sink: RowSink): void {
  const data = record(event.data, 'data');
  const saw = record(data['saw'], 'saw');
  const items = list(data['items'], 'items');
  const requester = identifier(data['requester'], 'requester');
  sink.add('plans', common, {
    ordinal: 0,
    turn_id: text(data['turnId'], 'turnId'),
    requester,
    request_digest: text(data['requestDigest'], 'requestDigest'),
    proposed_at: time(data['proposedAt'], 'proposedAt'),
    saw_session: bigint(saw['session'], 'saw.session'),
    saw_catalogue: bigint(saw['catalogue'], 'saw.catalogue'),
    profile: text(data['profile'], 'profile'),
    items: items.length,
    providers: canonical(record(data['providers'], 'providers'), 'providers'),
    verdict_due_at: time(data['verdictDueAt'], 'verdictDueAt'),
    correlation_id: event.correlationId,
  });
  const snapshots = snapshotsOf(data);
  items.forEach((item, ordinal) => {
    sink.add('plan_items', common, { ordinal, requester }, itemFacts(item), snapshots(text(item['operation'], 'operation')));
  });
}

function itemFacts(item: Fields): Facts {
  const input = sealed(item['input'], 'input');
  return {
    item_id: identifier(item['itemId'], 'itemId'),
    call_id: text(item['callId'], 'callId'),
    input_digest: input.digest,
    input_bytes: input.bytes,
    input: input.text,
  };
}

/** Operations repeat among the items of a plan: each is read once. */
function snapshotsOf(data: Fields): (operation: string) => Facts {
  const operations = record(data['operations'], 'operations');
  const providers = record(data['providers'], 'providers');
  const known = new Map<string, Facts>();
  return (key) => {
    const before = known.get(key);
    if (before) return before;
    if (!Object.hasOwn(operations, key)) throw new Unprojectable('shape_unknown', 'an item names an operation that the plan does not hold');
    const facts = operationFacts(record(operations[key], 'operation'), providers);
    known.set(key, facts);
    return facts;
  };
}

function operationFacts(operation: Fields, providers: Fields): Facts {
  const provider = identifier(operation['provider'], 'provider');
  if (!Object.hasOwn(providers, provider)) throw new Unprojectable('shape_unknown', 'an operation names a provider that the plan does not hold');
  const snapshot = record(providers[provider], 'provider');
  const traits = Object.fromEntries(Object.entries(operation).filter(([name]) => !SNAPSHOT_COLUMNS.has(name)));
  return {
    kind: text(operation['kind'], 'kind'),
    risk: text(operation['risk'], 'risk'),
    description: prose(operation['description'], 'description'),
    category: text(operation['category'], 'category'),
    provider,
    provider_version: bigint(snapshot['version'], 'provider.version'),
    provider_digest: text(snapshot['digest'], 'provider.digest'),
    operation: identifier(operation['name'], 'name'),
    schema_digest: text(operation['schemaDigest'], 'schemaDigest'),
    input_schema_digest: sealed(operation['inputSchema'], 'inputSchema').digest,
    output_schema_digest: operation['outputSchema'] === undefined ? null : sealed(operation['outputSchema'], 'outputSchema').digest,
    traits: canonical(traits, 'traits'),
  };
}
