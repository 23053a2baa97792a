import { decodeStored } from '@countersign/event-log-jetstream';
import type { Decode } from '../src/index.js';

export const decode: Decode = (message) => decodeStored({
  subject: message.subject, data: message.data,
  ...(message.headers ? { headers: message.headers } : {}),
  info: { stream: message.stream, streamSequence: message.sequence },
});
