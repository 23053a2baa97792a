import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { InjectedFault, faultPoint, injectFaults, parseFaults } from './index.js';

describe('fault points', () => {
  afterEach(() => injectFaults(''));

  it('do nothing, not even allocate a promise, while no fault is asked for', () => {
    expect(faultPoint('executor.before-outcome')).toBeUndefined();
  });

  it('throw at the crossing that was asked for and at no other', async () => {
    injectFaults('executor.before-outcome=throw@2');
    await faultPoint('executor.before-outcome');
    await faultPoint('executor.before-apply');
    await expect(faultPoint('executor.before-outcome')).rejects.toThrow(InjectedFault);
    expect(faultPoint('executor.before-outcome')).toBeUndefined();
  });

  it('wait the milliseconds that were asked for', async () => {
    injectFaults('runner.before-ack=delay:60');
    const began = performance.now();
    await faultPoint('runner.before-ack');
    expect(performance.now() - began).toBeGreaterThanOrEqual(55);
  });

  it('kill their own process with a signal that nothing can handle', () => {
    const child = spawnSync(process.execPath, ['-e', `process.on('exit', () => console.log('cleaned up')); ${killSource()}`], { encoding: 'utf8' });
    expect({ signal: child.signal, stdout: child.stdout }).toEqual({ signal: 'SIGKILL', stdout: '' });
  });

  it('refuse a name or kind that does not exist', () => {
    expect(() => parseFaults('executor.befor-outcome=kill')).toThrow(/executor.before-outcome/);
    expect(() => parseFaults('executor.before-outcome=explode')).toThrow(/explode/);
    expect(parseFaults('runner.before-ack=kill, audit.before-commit=delay:5@3')).toEqual([
      { point: 'runner.before-ack', kind: 'kill' },
      { point: 'audit.before-commit', kind: 'delay', ms: 5, nth: 3 },
    ]);
  });
});

/** The line of the source that kills, so that the child runs what the library runs without a build. */
function killSource(): string {
  const source = readFileSync(new URL('./fault-point.ts', import.meta.url), 'utf8');
  const line = source.split('\n').find((text) => text.includes("'SIGKILL'"));
  return `${line}; setInterval(() => {}, 1000);`;
}
