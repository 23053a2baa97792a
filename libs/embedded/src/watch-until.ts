import { watch } from 'node:fs';

/** Only where the file system tells of no changes (some network and container mounts). */
const FALLBACK_LOOK_MS = 100;

/**
 * Calls `look` now and after each change in `folder` until it finds something.
 * Undefined when `timeoutMs` is over or `giveUp` has settled first.
 */
export async function watchUntil<T>(
  folder: string, look: () => Promise<T | undefined>, options: { readonly timeoutMs: number; readonly giveUp: Promise<unknown> },
): Promise<T | undefined> {
  let changed = () => {};
  let over = false;
  const wake = () => changed();
  const watcher = watch(folder, wake).on('error', wake);
  const timer = setTimeout(() => { over = true; wake(); }, options.timeoutMs);
  const fallback = setInterval(wake, FALLBACK_LOOK_MS);
  void options.giveUp.then(() => { over = true; wake(); });
  try {
    for (;;) {
      const change = new Promise<void>((resolve) => { changed = resolve; });
      const found = await look();
      if (found !== undefined || over) return found;
      await change;
    }
  } finally {
    watcher.close();
    clearTimeout(timer);
    clearInterval(fallback);
  }
}
