export { guardedFetch, type GuardedFetch, type GuardedRequest, type GuardedResponse } from './guarded-fetch.js';
export { signWebhook, verifyWebhook, type WebhookHeaders, type WebhookMessage } from './sign-webhook.js';
export { endpointSecret, type SignedEndpoint } from './endpoint-secret.js';
export { askVeto, type VetoItem, type VetoOptions, type VetoRequest } from './ask-veto.js';
