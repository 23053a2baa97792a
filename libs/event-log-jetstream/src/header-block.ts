import type { MsgHdrs } from '@nats-io/transport-node';

/** What is asked of a message's headers: the last value of a name, empty when there is none. */
export interface HeaderValues {
  last(name: string): string;
}

interface WithHeaders {
  readonly headers?: (HeaderValues & Partial<Pick<MsgHdrs, 'keys' | 'values'>>) | undefined;
}

/** Where the client's messages keep what was received; their types do not show it. A consumer's message holds one of them. */
interface AsReceived {
  readonly _rdata?: Uint8Array;
  readonly _msg?: { readonly hdr: number };
  readonly msg?: AsReceived;
}

const LINE_END = '\r\n';

/**
 * A message's headers, taken out of its bytes. The client's own decoder checks every name letter by letter and makes a list of
 * all names for every line, and again for every question.
 */
export class HeaderBlock implements HeaderValues {
  private constructor(private readonly text: string) {}

  /** Undefined when the message has none. A message that does not keep its bytes where the client's do is asked itself. */
  static of(message: WithHeaders): HeaderValues | undefined {
    const bytes = bytesOf(message as AsReceived);
    if (bytes === 'elsewhere') return message.headers;
    return bytes && new HeaderBlock(textOf(bytes));
  }

  /** All values by name, in order. */
  static allOf(message: WithHeaders): Readonly<Record<string, readonly string[]>> {
    const bytes = bytesOf(message as AsReceived);
    if (bytes !== 'elsewhere') return bytes ? Object.fromEntries(linesOf(textOf(bytes))) : {};
    const { headers } = message;
    return Object.fromEntries((headers?.keys?.() ?? []).map((name) => [name, headers!.values!(name)]));
  }

  /** Searched for in the text: a map of all lines is more garbage than the event itself. */
  last(name: string): string {
    const opening = openingOf(name);
    let value = -1;
    for (let at = this.text.indexOf(opening); at >= 0; at = this.text.indexOf(opening, value)) value = at + opening.length;
    if (value < 0) return '';
    const end = this.text.indexOf(LINE_END, value);
    return this.text.slice(value, end < 0 ? undefined : end).trim();
  }
}

const openings = new Map<string, string>();

/** How the line of a header begins. Names are constants of ours, so there are few. */
function openingOf(name: string): string {
  let opening = openings.get(name);
  if (opening === undefined) openings.set(name, (opening = `${LINE_END}${name}:`));
  return opening;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

function bytesOf(message: AsReceived): Uint8Array | undefined | 'elsewhere' {
  const { _rdata: received, _msg: parsed } = message.msg ?? message;
  if (!received || typeof parsed?.hdr !== 'number') return 'elsewhere';
  return parsed.hdr < 0 ? undefined : received.subarray(0, parsed.hdr);
}

/** The first line is the protocol's and no header; nor is a line without a colon. */
function linesOf(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (let line = text.indexOf(LINE_END); line >= 0;) {
    const start = line + LINE_END.length;
    line = text.indexOf(LINE_END, start);
    const end = line < 0 ? text.length : line;
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon >= end) continue;
    const name = text.slice(start, colon);
    const value = text.slice(colon + 1, end).trim();
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/**
 * Headers to be sent, written once however often they are sent.
 * @throws TypeError for a value that would end its line
 */
export function headersOf(values: Readonly<Record<string, string>>): MsgHdrs {
  let text = 'NATS/1.0';
  for (const [name, value] of Object.entries(values)) {
    if (/[\r\n]/.test(value)) throw new TypeError(`the header ${name} cannot hold a line break`);
    text += `${LINE_END}${name}: ${value}`;
  }
  const bytes = Buffer.from(`${text}${LINE_END}${LINE_END}`, 'utf8');
  // of all that its type promises, the client asks headers that it sends for their bytes only
  return { encode: () => bytes } as unknown as MsgHdrs;
}
