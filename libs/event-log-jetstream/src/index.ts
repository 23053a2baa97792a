export type { BrokerAccess } from './broker-connection.js';
export { JetStreamBlobStore, type JetStreamBlobStoreOptions } from './blob-store.js';
export { decodeStored, rawEventOf, type StoredMessage } from './decode-stored.js';
export { HeaderBlock, type HeaderValues } from './header-block.js';
export { JetStreamEventLog, type JetStreamEventLogOptions } from './jetstream-event-log.js';
export { LiveFeed, type LiveFeedOptions, type LiveListener } from './live-feed.js';
export { request, type RequestOptions } from './requests.js';
export { readFrom, readRawFrom, type ReadFromOptions } from './read-from.js';
export { JetStreamTimers, firedTimer, timerSubject, type JetStreamTimersOptions } from './timers.js';
