import { LIMITS, type Json, type OperationSnapshot, type Sealed, type TenantId } from '@countersign/contracts';
import type { ProposePlan } from '@countersign/domain-plan';
import type { BlobStore } from '@countersign/event-log';
import { GateError, canonicalJson } from '@countersign/kernel';

/** Room for what the event holds beside its proposal. */
const MARGIN_BYTES = 2 * 1024;

/**
 * Moves bodies out of a proposal into blobs, largest first, until it fits one event. Gateway and catalogue sealed each
 * body for itself; only here it shows what they amount to together. Blobs are durable when this returns.
 * @throws GateError PLAN_TOO_LARGE when it does not fit without any body
 */
export async function fitEvent(plan: ProposePlan, where: { readonly blobs: BlobStore; readonly tenant: TenantId }): Promise<ProposePlan> {
  if (mostBytesOf(plan) <= LIMITS.inlineBodiesPerEventBytes) return plan;
  const inline = [...new Map(bodiesOf(plan).filter((body) => body.value !== undefined).map((body) => [body.digest, body])).values()];
  const uses = usesOf(plan);
  let bodyBytes = inline.reduce((sum, body) => sum + body.bytes * uses.get(body.digest)!, 0);
  const restBytes = Buffer.byteLength(JSON.stringify(plan)) - bodyBytes;
  const room = Math.min(LIMITS.inlineBodiesPerEventBytes, LIMITS.eventBytes - MARGIN_BYTES - restBytes);
  if (bodyBytes <= room) return plan;
  if (room < 0) throw new GateError('PLAN_TOO_LARGE', 'The plan’s items do not fit one event even without their inputs; divide it');
  const outside = new Set<string>();
  for (const body of inline.sort((a, b) => b.bytes - a.bytes)) {
    if (bodyBytes <= room) break;
    outside.add(body.digest);
    bodyBytes -= body.bytes * uses.get(body.digest)!;
  }
  await Promise.all(inline.filter((body) => outside.has(body.digest)).map((body) =>
    where.blobs.put('BLOBS', where.tenant, body.digest, Buffer.from(canonicalJson(body.value)))));
  return withoutBodies(plan, outside);
}

/** No more than this, without writing the event out: nearly every proposal is far below the limit. */
function mostBytesOf(plan: ProposePlan): number {
  const parts = [...Object.values(plan.operations), ...Object.values(plan.providers)];
  return parts.reduce((sum, part) => sum + PART_FRAME_BYTES + sizeOf(part), 0)
    + plan.calls.reduce((sum, { callId, operation, input }) => sum + CALL_FRAME_BYTES + 6 * callId.length + 3 * operation.length + (input.value === undefined ? 0 : input.bytes), 0)
    + MARGIN_BYTES;
}

/** A call's field names, digest and numbers. */
const CALL_FRAME_BYTES = 256;
/** The key under which an operation or provider stands. */
const PART_FRAME_BYTES = 512;
/** Snapshots are made once a catalogue and never changed. */
const sizes = new WeakMap<object, number>();

function sizeOf(part: object): number {
  let bytes = sizes.get(part);
  if (bytes === undefined) sizes.set(part, (bytes = Buffer.byteLength(JSON.stringify(part))));
  return bytes;
}

const schemasOf = (operation: OperationSnapshot): Sealed<Json>[] => [operation.inputSchema, ...(operation.outputSchema ? [operation.outputSchema] : [])];

const bodiesOf = (plan: ProposePlan): Sealed<Json>[] => [
  ...plan.calls.map((call) => call.input as Sealed<Json>), ...Object.values(plan.operations).flatMap(schemasOf),
];

/** How often each body stands in the event. */
function usesOf(plan: ProposePlan): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { digest } of bodiesOf(plan)) uses.set(digest, (uses.get(digest) ?? 0) + 1);
  return uses;
}

function withoutBodies(plan: ProposePlan, outside: ReadonlySet<string>): ProposePlan {
  const emptied = <T>(body: Sealed<T>): Sealed<T> => (outside.has(body.digest) ? { digest: body.digest, bytes: body.bytes, store: 'BLOBS' } : body);
  return {
    ...plan,
    calls: plan.calls.map((call) => ({ ...call, input: emptied(call.input) })),
    operations: Object.fromEntries(Object.entries(plan.operations).map(([key, operation]) => [key, {
      ...operation,
      inputSchema: emptied(operation.inputSchema),
      ...(operation.outputSchema ? { outputSchema: emptied(operation.outputSchema) } : {}),
    }])),
  };
}
