export type { BrokerAccess } from './broker-connection.js';
export { decodeStored, rawEventOf, type StoredMessage } from './decode-stored.js';
export { JetStreamEventLog, type JetStreamEventLogOptions } from './jetstream-event-log.js';
