import { headers, type Msg } from '@nats-io/transport-node';
import { HeaderBlock, headersOf } from './header-block.js';

/** A message as the client's parser hands it over: header block and body in one piece. */
function received(block: Uint8Array | undefined, body = 'x'): Msg {
  const bytes = Buffer.concat([block ?? Buffer.alloc(0), Buffer.from(body)]);
  return { _rdata: bytes, _msg: { hdr: block ? block.length : -1 } } as unknown as Msg;
}

describe('the headers of a message', () => {
  const client = headers();
  client.append('Nats-Sequence', '7');
  client.append('ce-actor', 'agent:caf%C3%A9');
  client.append('Nats-Sequence', '8');

  it('are read as the client writes them, the last value of a name counting', () => {
    const block = HeaderBlock.of(received((client as unknown as { encode(): Uint8Array }).encode()))!;
    expect(['Nats-Sequence', 'ce-actor', 'ce-actor '].map((name) => block.last(name))).toEqual(['8', 'agent:caf%C3%A9', '']);
  });

  it('are all there in order for whoever keeps them', () => {
    expect(HeaderBlock.allOf(received((client as unknown as { encode(): Uint8Array }).encode()))).toEqual({ 'Nats-Sequence': ['7', '8'], 'ce-actor': ['agent:caf%C3%A9'] });
  });

  it('are none without a block, and of the status line alone', () => {
    expect(HeaderBlock.of(received(undefined))).toBeUndefined();
    expect(HeaderBlock.allOf(received(Buffer.from('NATS/1.0 404 No Messages\r\n\r\n')))).toEqual({});
  });

  it('do not find a name inside of a value or of the body', () => {
    const block = HeaderBlock.of(received(Buffer.from('NATS/1.0\r\na: ce-id: 1\r\nno colon\r\n\r\n'), '\r\nce-id: 2\r\n'))!;
    expect(block.last('ce-id')).toBe('');
    expect(block.last('a')).toBe('ce-id: 1');
  });

  it('of a message of another kind are asked of itself', () => {
    expect(HeaderBlock.of({ headers: client })!.last('Nats-Sequence')).toBe('8');
    expect(HeaderBlock.allOf({ headers: client })['Nats-Sequence']).toEqual(['7', '8']);
  });

  it('of a consumer’s message are those of the message it holds', () => {
    const held = received((client as unknown as { encode(): Uint8Array }).encode());
    expect(HeaderBlock.of({ msg: held } as unknown as Msg)!.last('Nats-Sequence')).toBe('8');
  });
});

describe('headers to be sent', () => {
  it('have the bytes that the client would send', () => {
    const ours = headersOf({ 'ce-id': 'a', 'Nats-Expected-Last-Subject-Sequence': '0' }) as unknown as { encode(): Uint8Array };
    const theirs = headers();
    theirs.append('ce-id', 'a');
    theirs.append('Nats-Expected-Last-Subject-Sequence', '0');
    expect(Buffer.from(ours.encode())).toEqual(Buffer.from((theirs as unknown as { encode(): Uint8Array }).encode()));
  });

  it('refuse a value that would begin another header', () => {
    expect(() => headersOf({ 'ce-id': 'a\r\nNats-Rollup: all' })).toThrow(TypeError);
  });
});
