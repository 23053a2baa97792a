/** Where deliveries wait. */
export interface Outbox {
  /** Durable when it returns; a subject is written once, so doing it again is nothing. @throws GateError UNAVAILABLE */
  put(subject: string, body: string): Promise<void>;
}
