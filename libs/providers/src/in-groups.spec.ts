import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineIn } from './deadline.js';
import { isTimeout } from './failures.js';
import { inGroups } from './in-groups.js';

const after = (ms: number, value: string) => async (): Promise<string> => {
  await sleep(ms);
  return value;
};
const options = { concurrency: 8, windowMs: 30, maxItems: 64 };

describe('inGroups', () => {
  it('hands on all at once when all are done within the window', async () => {
    const groups: string[][] = [];
    const started = performance.now();
    await inGroups([after(1, 'a'), after(5, 'b')], { ...options, windowMs: 5_000 }, async (group) => void groups.push([...group]));
    expect(groups).toEqual([['a', 'b']]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('does not let a slow one hold back the others', async () => {
    const groups: string[][] = [];
    await inGroups([after(300, 'slow'), after(1, 'a'), after(5, 'b')], options, async (group) => void groups.push([...group]));
    expect(groups).toEqual([['a', 'b'], ['slow']]);
  });

  it('runs no more at once than it may, and starts in order', async () => {
    let running = 0;
    let most = 0;
    const order: number[] = [];
    await inGroups(Array.from({ length: 10 }, (_, n) => async () => {
      order.push(n);
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
    }), { ...options, concurrency: 3 }, async () => undefined);
    expect(most).toBe(3);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('hands on what finished before it throws what failed', async () => {
    const groups: string[][] = [];
    const failing = async (): Promise<string> => { throw new Error('broken'); };
    await expect(inGroups([failing, after(20, 'a')], options, async (group) => void groups.push([...group]))).rejects.toThrow('broken');
    expect(groups).toEqual([['a']]);
  });
});

describe('deadlineIn', () => {
  it('aborts with a timeout at its time, or as its parent does', async () => {
    const own = deadlineIn(10);
    const parent = new AbortController();
    const child = deadlineIn(60_000, parent.signal);
    await sleep(40);
    expect(isTimeout(own.signal)).toBe(true);
    expect(own.leftMs()).toBe(0);
    expect(child.signal.aborted).toBe(false);
    parent.abort();
    expect(child.signal.aborted).toBe(true);
    expect(isTimeout(child.signal)).toBe(false);
    own.end();
    child.end();
  });
});
