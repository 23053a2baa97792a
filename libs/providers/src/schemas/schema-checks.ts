import type { JsonObject } from '@countersign/contracts';
import { compileSchema, type SchemaCheck } from './compile-schema.js';

/** Compiled checks by the schema's digest; the least recently used goes first. Compiling costs milliseconds, a check microseconds. */
export class SchemaChecks {
  private readonly byDigest = new Map<string, SchemaCheck>();

  constructor(private readonly most = 2_000) {}

  /** @param digest of the canonical schema. @throws GateError PROVIDER_INVALID, UNAVAILABLE */
  of(digest: string, schema: JsonObject): SchemaCheck {
    const known = this.byDigest.get(digest);
    if (known) this.byDigest.delete(digest);
    const check = known ?? compileSchema(schema, 'use');
    this.byDigest.set(digest, check);
    if (this.byDigest.size > this.most) this.byDigest.delete(this.byDigest.keys().next().value!);
    return check;
  }
}
