import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedReads } from './shared-reads.js';

/** A read that ends when it is told to, and knows when it began. */
function manualReads() {
  const begun: { end: (answer: string) => void; fail: (error: Error) => void }[] = [];
  const ask = () => new Promise<string>((resolve, reject) => begun.push({ end: resolve, fail: reject }));
  return { begun, ask };
}

describe('SharedReads', () => {
  it('sends one read for all who ask in one turn of the event loop', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    const first = reads.read('q', ask);
    await Promise.resolve();
    const second = reads.read('q', ask);
    await nextTurn();
    expect(begun).toHaveLength(1);
    begun[0]!.end('one');
    expect(await Promise.all([first, second])).toEqual(['one', 'one']);
  });

  it('gives whoever asks once it is sent the next read, once for all of them', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    const first = reads.read('q', ask);
    await nextTurn();
    const later = [reads.read('q', ask), reads.read('q', ask)];
    await nextTurn();
    expect(begun).toHaveLength(1);
    begun[0]!.end('old');
    expect(await first).toBe('old');
    await nextTurn();
    await nextTurn();
    expect(begun).toHaveLength(2);
    const third = reads.read('q', ask);
    begun[1]!.end('new');
    expect(await Promise.all(later)).toEqual(['new', 'new']);
    await nextTurn();
    await nextTurn();
    begun[2]!.end('newest');
    expect(await third).toBe('newest');
  });

  it('lets who asks right after an answer share the read that is about to be sent', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    const first = reads.read('q', ask);
    await nextTurn();
    const waiting = reads.read('q', ask);
    begun[0]!.end('old');
    await first;
    const late = reads.read('q', ask);
    await nextTurn();
    expect(begun).toHaveLength(2);
    begun[1]!.end('new');
    expect(await Promise.all([waiting, late])).toEqual(['new', 'new']);
  });

  it('keeps questions apart', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    void reads.read('a', ask);
    void reads.read('b', ask);
    await nextTurn();
    expect(begun).toHaveLength(2);
  });

  it('fails only those who shared the failed read', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    const first = reads.read('q', ask);
    await nextTurn();
    const second = reads.read('q', ask);
    begun[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await nextTurn();
    await nextTurn();
    begun[1]!.end('back');
    expect(await second).toBe('back');
  });
});
