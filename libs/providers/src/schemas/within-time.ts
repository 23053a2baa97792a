import { Script, createContext } from 'node:vm';

const box: { run: () => unknown } = { run: () => undefined };
const context = createContext(box);
const script = new Script('run()');

/**
 * Runs `work` on this thread for at most `timeoutMs`, also when it is stuck inside one regular expression: whoever
 * registers a provider writes the patterns, and whoever proposes, or the provider, writes the text they run on. Costs about 0.1 ms.
 * @returns what it returned, or `undefined` inside `overdue` when it was stopped
 */
export function withinTime<T>(timeoutMs: number, work: () => T): { readonly done: T } | { readonly overdue: true } {
  box.run = work;
  try {
    return { done: script.runInContext(context, { timeout: timeoutMs }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { overdue: true };
    throw error;
  } finally {
    box.run = () => undefined;
  }
}
