import type { NatsConnection } from '@nats-io/transport-node';

/** The client's part that writes to the socket; its types do not show it. It stays the same over reconnects. */
interface Writing {
  flushPending(): void;
  close(error?: Error): Promise<void>;
}

/**
 * Lets a connection write once in each turn of the event loop, whatever is published in it. The client writes after every
 * chain of promises; each write is a system call here and a wake-up of the server. Nothing waits longer than the turn lasts.
 * @returns false when this client keeps its writing elsewhere; then nothing is changed
 */
export function writeOnceATurn(connection: NatsConnection): boolean {
  const { protocol } = connection as { protocol?: Partial<Writing> };
  if (typeof protocol?.flushPending !== 'function' || typeof protocol.close !== 'function') return false;
  const write = protocol.flushPending.bind(protocol);
  const close = protocol.close.bind(protocol);
  let due = false;
  protocol.flushPending = () => {
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      write();
    });
  };
  protocol.close = (error) => {
    write(); // an acknowledgement of this turn must not be lost
    return close(error);
  };
  return true;
}
