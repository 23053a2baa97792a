export { CommandClient, type CallOptions } from './command-client.js';
export type { Delivery, Handled, LogMessage, TimerFired } from './delivery.js';
export { DeadLetterOffice } from './dead-letters.js';
export { JetStreamStrategy } from './jetstream-strategy.js';
export type { TransportLogger } from './logger.js';
export type { Decode } from './parse.js';
export { OnCommand, OnEvent, OnOutbox, OnTimer } from './patterns.js';
export { RethrowFilter } from './rethrow-filter.js';
export type { StrategyOptions } from './strategy-options.js';
