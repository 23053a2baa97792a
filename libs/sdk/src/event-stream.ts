/** One server-sent event of the log: `id` is the cursor to go on from. */
export interface LogEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events; ends when the stream ends. Comments (keep-alive) are passed over. */
export async function* parseEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<LogEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of body) {
    buffered += decoder.decode(chunk, { stream: true });
    let end = buffered.indexOf('\n\n');
    while (end >= 0) {
      const event = eventFrom(buffered.slice(0, end));
      if (event) yield event;
      buffered = buffered.slice(end + 2);
      end = buffered.indexOf('\n\n');
    }
  }
}

function eventFrom(block: string): LogEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  if (fields['data'] === undefined) return undefined;
  return { id: fields['id'] ?? '', event: fields['event'] ?? 'message', data: JSON.parse(fields['data']) };
}
