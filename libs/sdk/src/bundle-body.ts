import type { PolicyDigestRequest, PolicyRequest } from '@countersign/contracts/http';
import type { RequestOptions } from './http-transport.js';

/** A bundle as its author wrote it (YAML or JSON text; the gate reads it, so that there is one reading of it), or as an object. */
export type BundleGiven = string | PolicyRequest;
/** Or the digest of one that was pushed. */
export type BundleOrDigest = BundleGiven | PolicyDigestRequest;

export const yamlText = (content: string): RequestOptions => ({ text: { type: 'application/yaml', content } });

export const bodyOfBundle = (bundle: BundleOrDigest): RequestOptions => (typeof bundle === 'string' ? yamlText(bundle) : { body: bundle });
