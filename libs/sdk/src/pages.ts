interface PageOf<T> { readonly rows: readonly T[]; readonly nextCursor?: string }

/** The rows of all pages in turn; the next page is asked for when the last one has been read. */
export async function* eachRow<T>(page: (cursor: string | undefined) => Promise<PageOf<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await page(cursor);
    yield* rows;
    cursor = nextCursor;
  } while (cursor !== undefined);
}
