/** Fields first, then a message that does not vary: so that logs can be searched by it. */
export interface TransportLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
