import { tenantOf } from './letter-message.js';

describe('whose a dead letter is', () => {
  it.each([
    ['evt.acme.s1.plan.s1-p1.policy.2', { tenant: 'acme' }],
    ['timer.planner.fire.plan.acme.s1-p1', { tenant: 'acme' }],
    ['timer.planner.fire.other.acme', {}],
    ['timer.planner.set.plan.acme.s1-p1', {}],
    ['outbox.notifier.acme.ops.GATE.17', { tenant: 'acme' }],
    ['outbox.notifier.acme.ops.GATE', {}],
    ['evt.acme', {}],
    ['something.else', {}],
  ])('%s', (subject, owner) => {
    expect(tenantOf(subject)).toEqual(owner);
  });
});
