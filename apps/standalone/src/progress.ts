/** Says on standard error what is being done and how long it took; nothing of it is for programs. */
export interface Progress {
  step<T>(what: string, work: () => Promise<T>): Promise<T>;
  say(line: string): void;
}

export function terminalProgress(write: (line: string) => void = (line) => process.stderr.write(`${line}\n`)): Progress {
  return {
    say: write,
    async step(what, work) {
      const started = performance.now();
      write(`… ${what}`);
      const result = await work();
      write(`✓ ${what} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
      return result;
    },
  };
}
