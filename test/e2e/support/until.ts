import { CountersignError, type CountersignClient } from '@countersign/sdk';
import type { PlanView } from '@countersign/contracts/http';

/** Codes that mean "nothing is known yet": a caller may say the same again, as every client of the gate must. */
const AGAIN = ['UNAVAILABLE', 'TIMEOUT', 'BUSY'];

/** Repeats what may be repeated while the gate, or a part of it, is away. @throws the refusal, or the last failure after `withinMs` */
export async function untilAnswered<T>(call: () => Promise<T>, withinMs = 90_000): Promise<T> {
  for (const startedAt = performance.now(); ;) {
    try {
      return await call();
    } catch (error) {
      const final = error instanceof CountersignError && !AGAIN.includes(error.code);
      if (final || performance.now() - startedAt > withinMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** The plan once it is settled, or once nothing of it is pending. */
export function untilPlan(client: CountersignClient, planId: string, until: 'verdict' | 'settled'): Promise<PlanView> {
  return untilAnswered(async () => {
    const plan = await client.plan(planId, { wait: 30, until });
    const there = until === 'settled' ? plan.status === 'settled' : plan.items.every((item) => item.decision !== 'pending');
    if (!there) throw new CountersignError('BUSY', 0, `${planId} has not come to its ${until}: ${JSON.stringify(plan.items)}`);
    return plan;
  });
}
