export * from './service.js';
export { hostService, type HostOptions } from './host-service.js';
export { makeLogger, logLevel, type LogLevel } from './make-logger.js';
export { ConfigError, checkConfig, readConfig } from './read-config.js';
export { EXIT, runService } from './run-service.js';
