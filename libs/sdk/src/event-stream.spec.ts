import fc from 'fast-check';
import { parseEventStream, type LogEvent } from './event-stream.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const streamOf = (...chunks: Uint8Array[]): ReadableStream<Uint8Array> => new ReadableStream({
  start(controller) {
    for (const chunk of chunks) controller.enqueue(chunk);
    controller.close();
  },
});
async function read(...chunks: Uint8Array[]): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for await (const event of parseEventStream(streamOf(...chunks))) events.push(event);
  return events;
}
const written = ({ id, event, data }: LogEvent): string => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

describe('server-sent events', () => {
  it('are read as they were written, wherever the network cuts them, also within a character', async () => {
    const event = fc.record({ id: fc.stringMatching(/^[a-z0-9]{1,20}$/), event: fc.constantFrom('plan.Proposed', 'session.Ended'), data: fc.jsonValue({ noUnicodeString: false }) });
    await fc.assert(fc.asyncProperty(fc.array(event, { maxLength: 5 }), fc.array(fc.nat(400), { maxLength: 10 }), async (events, cuts) => {
      const all = bytes(`: alive\n\n${events.map(written).join(': alive\n\n')}`);
      const places = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
      const chunks = places.slice(1).map((end, index) => all.slice(places[index], end));
      expect(await read(...chunks)).toEqual(events.map((one) => ({ ...one, data: JSON.parse(JSON.stringify(one.data)) as unknown })));
    }));
  });

  it('come one by one, before the stream has ended', async () => {
    const stream = new TransformStream<Uint8Array, Uint8Array>();
    const writer = stream.writable.getWriter();
    const events = parseEventStream(stream.readable);
    void writer.write(bytes(written({ id: '1', event: 'plan.Proposed', data: { a: 1 } })));
    expect((await events.next()).value).toEqual({ id: '1', event: 'plan.Proposed', data: { a: 1 } });
    void writer.close();
    expect((await events.next()).done).toBe(true);
  });

  it('pass over comments and moves of the cursor, and drop what was cut off', async () => {
    expect(await read(bytes(': alive\n\nid: 7\n\nid: 8\nevent: x\ndata: {"whole":true}\n\nid: 9\nevent: x\ndata: {"cut":'))).toEqual([{ id: '8', event: 'x', data: { whole: true } }]);
  });

  it('join a body of several lines, take no blank for granted, and are messages when they name nothing', async () => {
    expect(await read(bytes('data: [1,\ndata:2]\n\n'))).toEqual([{ id: '', event: 'message', data: [1, 2] }]);
  });

  it('fail where a body is not JSON, rather than being passed over', async () => {
    await expect(read(bytes('data: {\n\n'))).rejects.toThrow(SyntaxError);
  });
});
