import type { TenantId } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

/** Whose requests are signed. */
export interface EndpointName {
  readonly tenant: TenantId;
  readonly kind: 'veto' | 'webhook';
  readonly name: string;
  /** Rises with each registration of the name. */
  readonly version: number;
}

/** Makes the secrets that sign what the gate sends: derived from the installation's key, and stored nowhere. */
export class EndpointSecrets {
  /** @param derive undefined: the installation has no key for it */
  constructor(private readonly derive: ((endpoint: EndpointName) => string) | undefined) {}

  /** Before anything is registered that could not be signed. @throws GateError UNAVAILABLE */
  requireKey(): void {
    if (!this.derive) throw new GateError('UNAVAILABLE', 'This gateway’s configuration has no outboundKey');
  }

  of(endpoint: EndpointName): string {
    this.requireKey();
    return this.derive!(endpoint);
  }
}
