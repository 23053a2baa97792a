export { mcpProviderFactory } from './mcp-provider.js';
export { serverEnvironment } from './environment.js';
