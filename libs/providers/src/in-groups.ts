export interface GroupOptions {
  /** Tasks that run at once. */
  readonly concurrency: number;
  /** How long the first finished one waits for company. A slow task holds the others back no longer than this. */
  readonly windowMs: number;
  readonly maxItems: number;
}

/**
 * Runs tasks beside each other and hands their results on in groups: at once when all are done, else what has come
 * within the window. Groups are handed on one after the other. Tasks start in their order.
 * @throws what a task or `take` threw first, after every task has ended and what had finished was handed on
 */
export async function inGroups<T>(
  tasks: readonly (() => Promise<T>)[], options: GroupOptions, take: (group: readonly T[]) => Promise<void>,
): Promise<void> {
  const waiting: T[] = [];
  const errors: unknown[] = [];
  let left = tasks.length;
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  let handing: Promise<void> = Promise.resolve();

  const handOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    handing = handing.then(async () => {
      while (waiting.length > 0) await take(waiting.splice(0, options.maxItems));
    }).catch((error: unknown) => void errors.push(error));
  };
  const finished = (): void => {
    if (waiting.length === 0) return;
    if (left === 0 || waiting.length >= options.maxItems) handOn();
    else timer ??= setTimeout(handOn, options.windowMs);
  };
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      const task = tasks[next++]!;
      try {
        waiting.push(await task());
      } catch (error) {
        errors.push(error);
      }
      left -= 1;
      finished();
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, tasks.length) }, work));
  handOn();
  await handing;
  if (errors.length > 0) throw errors[0];
}
