import { PROVIDER_NAME_PATTERN, type PrincipalId, type ProviderEndpoint, type ProviderEvent, type ToolSchema } from '@countersign/contracts';
import { GateError, digestOf, type Decision } from '@countersign/kernel';
import { checkCatalogue } from './check-catalogue.js';
import type { ProviderState } from './state.js';

export interface RegisterProviderAs {
  readonly name: string;
  readonly endpoint: ProviderEndpoint;
  readonly operations: readonly ToolSchema[];
  readonly by: PrincipalId;
  readonly at: string;
}

export interface VersionGiven { readonly version: number; readonly repeated: boolean }

/**
 * A changed endpoint or catalogue is a new version; the same one again says nothing.
 * @throws GateError INVALID_REQUEST, PROVIDER_INVALID, KIND_NOT_SUPPORTED
 */
export function registerProvider(provider: ProviderState, command: RegisterProviderAs): Decision<ProviderEvent, VersionGiven> {
  const { name, endpoint, operations, by, at } = command;
  if (!PROVIDER_NAME_PATTERN.test(name)) {
    throw new GateError('INVALID_REQUEST', 'A provider is named in up to 40 lower-case letters, digits, - and _');
  }
  checkCatalogue(operations);
  const digest = digestOf({ endpoint, operations });
  if (provider.current?.digest === digest) return { reply: { version: provider.version, repeated: true } };
  const version = provider.version + 1;
  return {
    event: { type: 'provider.Registered', data: { version, digest, endpoint, operations, by, at } },
    reply: { version, repeated: false },
  };
}

/** New plans cannot name it; those that exist keep their snapshot. @throws GateError NOT_FOUND when it never was */
export function removeProvider(provider: ProviderState, command: { readonly by: PrincipalId; readonly at: string }): Decision<ProviderEvent, VersionGiven> {
  if (provider.version === 0) throw new GateError('NOT_FOUND', 'There is no such provider');
  const { by, at } = command;
  return provider.current
    ? { event: { type: 'provider.Removed', data: { by, at } }, reply: { version: provider.version, repeated: false } }
    : { reply: { version: provider.version, repeated: true } };
}

/**
 * Whether it runs on the gate's own machine, as a process that the gate starts or inside of the gate's own; only some tenants may
 * register such (`TenantRegistered.localProcesses`).
 */
export const runsLocally = ({ transport }: ProviderEndpoint): boolean => RUNS_LOCALLY[transport];

/** The built-in `fake` can be told to hang, to fill memory and to keep files: it is for tests, not for every tenant. */
const RUNS_LOCALLY: Readonly<Record<ProviderEndpoint['transport'], boolean>> = { 'mcp-stdio': true, fake: true };
