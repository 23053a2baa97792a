/**
 * A header's value as CloudEvents wants it: printable ASCII, everything else percent-encoded as UTF-8. So no value can
 * end its line and begin another header.
 */
export function headerText(value: string): string {
  return value.replace(/[^\x21\x23\x24\x26-\x7e]/gu, (character) =>
    [...Buffer.from(character, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''));
}

/** The value that `headerText` was given; undefined when this is not percent-encoded UTF-8. Never throws. */
export function fromHeaderText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
