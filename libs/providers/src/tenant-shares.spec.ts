import { TenantShares } from './tenant-shares.js';

describe('TenantShares', () => {
  let now = 0;
  const shares = (): TenantShares => new TenantShares({ slowMost: 2, slowMs: 1_000, now: () => now });
  beforeEach(() => { now = 0; });

  it('does not count what is quick', () => {
    const all = shares();
    for (let index = 0; index < 100; index += 1) expect(all.enter('t1')).toBeDefined();
  });

  it('holds back a tenant whose slow ones fill its share, and no other', () => {
    const all = shares();
    const leave = all.enter('t1')!;
    all.enter('t1');
    now = 999;
    expect(all.enter('t1')).toBeDefined();
    now = 1_000;
    expect(all.enter('t1')).toBeUndefined();
    expect(all.enter('t2')).toBeDefined();
    leave();
    leave();
    expect(all.enter('t1')).toBeDefined();
  });
});
