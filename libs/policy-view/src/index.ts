export { PolicyView } from './policy-view.js';
export type { BundleName, TenantPolicy } from './tenant-policy.js';
export { itemFactsOf, sessionFactsOf, type FactsAbout } from './item-facts.js';
export { inputFor, inputOrNone } from './inputs.js';
