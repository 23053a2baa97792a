import type { PlanEvent, StoredEvent } from '@countersign/contracts';
import { plannerInMemory } from '../test/planner-in-memory.js';
import { BreakerController } from './breaker.controller.js';

describe('what planner does at a verdict', () => {
  it.each([['within the minute that the plan’s timer waits', 5_000], ['at the end of it', 59_999]])('denies an ask that expires %s when its time has come', async (_when, expiresInMs) => {
    const under = plannerInMemory();
    await under.ready();
    await under.proposals.propose(under.proposal());
    await under.judge('ask', { expiresInMs });
    await new BreakerController(under.breaker, under.clock).evaluated(under.broker.all('GATE').at(-1) as StoredEvent<PlanEvent>);
    await under.timers.advanceBy(expiresInMs - 1);
    expect(under.typesOf()).not.toContain('plan.ItemsExpired');
    await under.timers.advanceBy(1_000);
    expect(under.typesOf()).toContain('plan.ItemsExpired');
  });
});
