export interface AckSubject {
  readonly stream: string;
  readonly consumer: string;
  readonly deliveries: number;
  readonly sequence: number;
}

/**
 * What a delivery's reply subject says. Both forms: `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…` and the
 * newer one with domain and account before the stream.
 * @throws Error when it is neither: not a message of a consumer
 */
export function parseAckSubject(subject: string): AckSubject {
  const tokens = subject.split('.');
  const from = tokens.length === 9 ? 2 : 4;
  const [stream, consumer, deliveries, sequence] = tokens.slice(from, from + 4);
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK' || tokens.length < 9 || !stream || !consumer || !deliveries || !sequence) {
    throw new Error(`‘${subject}’ is not the reply subject of a consumer’s delivery`);
  }
  return { stream, consumer, deliveries: Number(deliveries), sequence: Number(sequence) };
}
