export * from './decisions/keys.js';
export * from './decisions/settings.js';
export * from './decisions/endpoints.js';
export * from './decisions/freezes.js';
