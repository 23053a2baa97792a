import type { ApprovalChangeView, Problem } from '@countersign/contracts/http';
import { parseEventStream } from './event-stream.js';
import { refusalFrom } from './http-transport.js';

/** One change of the queue, or an event of the log that this gate cannot read and that may have been one. `id` is the cursor to go on from. */
export type ApprovalEvent =
  | { readonly id: string; readonly change: ApprovalChangeView }
  | { readonly id: string; readonly unreadable: { readonly stream: string; readonly sequence: number } };

/** Ends when the stream ends. @throws CountersignError when the gate says that it cannot go on */
export async function* approvalEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ApprovalEvent> {
  for await (const { id, event, data } of parseEventStream(body)) {
    if (event === 'problem') throw refusalFrom(data as Problem, (data as Problem).status);
    if (event === 'unreadable') yield { id, unreadable: data as { stream: string; sequence: number } };
    else yield { id, change: data as ApprovalChangeView };
  }
}
