export const REGISTRY = Symbol('ProviderRegistry');
export const STOPPING = Symbol('Stopping');
