import { SharedReads } from './shared-reads.js';

/** A read that ends when it is told to, and knows when it began. */
function manualReads() {
  const begun: { end: (answer: string) => void; fail: (error: Error) => void }[] = [];
  const ask = () => new Promise<string>((resolve, reject) => begun.push({ end: resolve, fail: reject }));
  return { begun, ask };
}

describe('SharedReads', () => {
  it('begins at once at rest, and gives whoever comes later the next read, once for all of them', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    const first = reads.read('q', ask);
    const later = [reads.read('q', ask), reads.read('q', ask)];
    expect(begun).toHaveLength(1);
    begun[0]!.end('old');
    expect(await first).toBe('old');
    await Promise.resolve();
    expect(begun).toHaveLength(2);
    const third = reads.read('q', ask);
    begun[1]!.end('new');
    expect(await Promise.all(later)).toEqual(['new', 'new']);
    await new Promise(setImmediate);
    begun[2]!.end('newest');
    expect(await third).toBe('newest');
  });

  it('keeps questions apart', () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    void reads.read('a', ask);
    void reads.read('b', ask);
    expect(begun).toHaveLength(2);
  });

  it('fails only those who shared the failed read', async () => {
    const { begun, ask } = manualReads();
    const reads = new SharedReads<string>();
    const first = reads.read('q', ask);
    const second = reads.read('q', ask);
    begun[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await new Promise(setImmediate);
    begun[1]!.end('back');
    expect(await second).toBe('back');
  });
});
