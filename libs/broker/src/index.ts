export * from './credentials.js';
export { natsConfiguration } from './accounts.js';
export { serverConfiguration, type ServerSettings } from './server-configuration.js';
export { API_PREFIX, inboxPrefix } from './grants.js';
export * from './connect.js';
export * from './set-up.js';
export * from './start-checks.js';
export { BrokerUnsuitable } from './server-check.js';
export { consumerFilters } from './consumer-definitions.js';
