import { existsSync, readFileSync } from 'node:fs';

/** Names of the notes that the fake provider has written into a file, once for each time it did. */
export function notesIn(file: string): string[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split('\n').filter(Boolean).map((line) => (JSON.parse(line) as { input: { name: string } }).input.name);
}

/** Resolves when the file holds a note of that name. */
export async function untilNoted(file: string, name: string): Promise<void> {
  while (!notesIn(file).includes(name)) await new Promise((resolve) => setTimeout(resolve, 10));
}
