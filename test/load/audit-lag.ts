import { setTimeout as sleep } from 'node:timers/promises';
import type { GateUnderLoad } from './gate.js';

interface Behind { readonly logSequence: number; readonly sequence: number }

/** How long the audit takes to reach what the log held at one moment, sampled all through a load. */
export function auditLag(gate: GateUnderLoad): { worstMs(): Promise<number> } {
  let over = false;
  let worst = 0;
  const sampling = (async () => {
    while (!over) {
      worst = Math.max(worst, await lagOnce(gate));
      await sleep(200);
    }
  })();
  return {
    worstMs: async () => {
      over = true;
      await sampling;
      return worst;
    },
  };
}

async function lagOnce(gate: GateUnderLoad): Promise<number> {
  const started = performance.now();
  const target = (await behind(gate)).logSequence;
  while ((await behind(gate)).sequence < target) await sleep(5);
  return performance.now() - started;
}

export async function untilAuditHasAll(gate: GateUnderLoad, say: (line: string) => void): Promise<void> {
  let last = performance.now();
  for (;;) {
    const { sequence, logSequence } = await behind(gate);
    if (sequence >= logSequence) return;
    if (performance.now() - last > 5_000) {
      say(`  the audit has ${sequence} of ${logSequence} events`);
      last = performance.now();
    }
    await sleep(50);
  }
}

async function behind(gate: GateUnderLoad): Promise<Behind> {
  const checkpoint = (await gate.operator.wholeAuditStatus()).checkpoints['GATE'];
  if (!checkpoint) throw new Error('the audit has no checkpoint of GATE');
  return checkpoint;
}
