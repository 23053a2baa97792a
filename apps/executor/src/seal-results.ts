import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Sealed } from '@countersign/contracts';
import { sealAll, type BlobStore } from '@countersign/event-log';
import { GateError, isGateError } from '@countersign/kernel';
import type { ExecutorParts, Work } from './work.js';

/** How long a store that does not answer is tried; then how a call ended matters more than the text of its result. */
const TRIED_FOR_MS = 60_000;
const LONGEST_PAUSE_MS = 2_000;

/**
 * The effects have taken place, and nobody else knows how they ended. A store that is away is tried while the lease holds, for a minute
 * at most; then large results are given up: the log has their digest and size, and readers find them gone, as after their week.
 */
export async function sealResults(results: readonly Json[], work: Work, parts: ExecutorParts, triedForMs = TRIED_FOR_MS): Promise<Sealed<Json>[]> {
  const where = { tenant: work.key.tenant, store: 'RESULTS' } as const;
  const until = performance.now() + triedForMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await sealAll(results, { ...where, blobs: parts.blobs });
    } catch (error) {
      const giveUp = !isGateError(error, 'UNAVAILABLE') || work.signal.aborted || performance.now() + pauseMs > until;
      parts.logger[giveUp ? 'error' : 'warn']({ err: error, plan: work.key.id }, giveUp ? 'results are lost: they could not be stored' : 'results could not be stored; trying again');
      if (giveUp) return await sealAll(results, { ...where, blobs: nowhere });
    }
    await sleep(pauseMs, undefined, { signal: work.signal }).catch(() => undefined);
  }
}

/** Keeps nothing, so that digests and sizes are made all the same. */
const nowhere: BlobStore = {
  put: async () => undefined,
  get: async () => { throw new GateError('BLOB_MISSING'); },
};
