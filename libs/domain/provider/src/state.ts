import type { ProviderEvent, ProviderRegistered } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

export interface ProviderState {
  /** The newest registration; absent when there was none or it was removed. */
  readonly current?: ProviderRegistered;
  /** The highest version ever given; a provider that comes back after a removal goes on from it. */
  readonly version: number;
}

export const providerFold: Fold<ProviderState, ProviderEvent> = { initial: { version: 0 }, evolve };

/** Total: an older or repeated version changes nothing. */
export function evolve(state: ProviderState, event: ProviderEvent): ProviderState {
  switch (event.type) {
    case 'provider.Registered':
      return event.data.version > state.version ? { current: event.data, version: event.data.version } : state;
    case 'provider.Removed':
      return state.current ? { version: state.version } : state;
    default:
      return state;
  }
}
