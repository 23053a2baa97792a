import { LIMITS } from '@countersign/contracts';
import { tenantFold, type TenantState } from '@countersign/domain-tenant';
import { GateError } from '@countersign/kernel';
import { TenantViews } from './tenant-views.js';

function viewsOf(answer: () => Promise<TenantState> = async () => tenantFold.initial) {
  const clock = { ms: 0 };
  const asked: number[] = [];
  const fresh = async () => {
    asked.push(clock.ms);
    return { state: await answer(), position: { rev: 1, sequence: 1 } };
  };
  return { clock, asked, views: new TenantViews({ fresh }, () => clock.ms) };
}

describe('what a tenant has frozen', () => {
  it('is asked of the leader at most four times a second, and is never older than a quarter of the bound', async () => {
    const { clock, asked, views } = viewsOf();
    for (clock.ms = 0; clock.ms < 1_000; clock.ms += 10) await Promise.all([views.of('acme'), views.of('acme')]);
    expect(asked).toEqual([0, 250, 500, 750]);
    expect(250).toBeLessThanOrEqual(LIMITS.freezeWithinMs / 4);
  });

  it('counts its age from the question, not from the answer', async () => {
    const { clock, asked, views } = viewsOf(async () => { clock.ms += 240; return tenantFold.initial; });
    await views.of('acme');
    clock.ms += 20;
    await views.of('acme');
    expect(asked).toEqual([0, 260]);
  });

  it('is not known while the leader does not answer', async () => {
    const { views } = viewsOf(async () => { throw new GateError('UNAVAILABLE'); });
    await expect(views.of('acme')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(views.of('acme')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
