import { LIMITS, type ProviderEndpoint } from '@countersign/contracts';
import { GateError, digestOf } from '@countersign/kernel';
import { guardedProvider } from './guarded-provider.js';
import { Limiter } from './limiter.js';
import type { Provider, ProviderRegistry } from './provider.js';

/** Makes an adapter for one endpoint of one tenant; opens nothing before its first call. */
export type ProviderFactory<Transport extends ProviderEndpoint['transport'] = ProviderEndpoint['transport']> =
  (endpoint: Extract<ProviderEndpoint, { transport: Transport }>, tenant: string) => Provider;

export type ProviderFactories = { readonly [Transport in ProviderEndpoint['transport']]?: ProviderFactory<Transport> };

export interface RegistryOptions {
  /** Told of an adapter that broke its promise and threw. */
  readonly onFault?: (error: unknown) => void;
  /** Default `LIMITS.providerIdleMs`. */
  readonly idleMs?: number;
}

interface ConnectionOptions {
  readonly idleMs: number;
  readonly onFault: (error: unknown) => void;
  /** Called before each use: the one connection that is kept under the key, which is this one when there is none. */
  readonly kept: (self: Connection) => Connection;
  readonly onIdle: () => void;
}

/** One adapter as long as it is used, made anew after it was given up. */
class Connection {
  private inner: Provider | undefined;
  private calls = 0;
  private idle: NodeJS.Timeout | undefined;
  private readonly limiter = new Limiter(LIMITS.providerConcurrency);

  /** @throws GateError PROVIDER_INVALID when the adapter refuses the endpoint; a refusal here is none in the middle of a call */
  constructor(private readonly make: () => Provider, private readonly options: ConnectionOptions) {
    this.inner = this.guarded();
    this.closeWhenIdle();
  }

  readonly handle: Provider = {
    describe: async () => await this.use((provider) => provider.describe()),
    preview: async (call) => await this.use((provider) => provider.preview(call)),
    apply: async (call) => await this.use((provider) => provider.apply(call)),
    reconcile: async (call) => await this.use((provider) => provider.reconcile(call)),
    close: async () => await this.close(),
  };

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const provider = this.inner;
    this.inner = undefined;
    await provider?.close();
  }

  /** Whoever holds on to a handle that was given up works with the one that took its place. */
  private async use<A>(call: (provider: Provider) => Promise<A>): Promise<A> {
    return await this.options.kept(this).run(call);
  }

  private async run<A>(call: (provider: Provider) => Promise<A>): Promise<A> {
    clearTimeout(this.idle);
    this.calls += 1;
    try {
      this.inner ??= this.guarded();
      return await call(this.inner);
    } finally {
      this.calls -= 1;
      if (this.calls === 0 && this.inner) this.closeWhenIdle();
    }
  }

  private closeWhenIdle(): void {
    this.idle = setTimeout(() => {
      this.options.onIdle();
      void this.close().catch(this.options.onFault);
    }, this.options.idleMs);
    this.idle.unref();
  }

  private guarded(): Provider {
    return guardedProvider(this.make(), this.limiter, this.options.onFault);
  }
}

/** Connections are kept by (tenant, endpoint), never shared between tenants, and forgotten once they are idle. */
export function createProviderRegistry(factories: ProviderFactories, options: RegistryOptions = {}): ProviderRegistry {
  const connections = new Map<string, Connection>();
  const onFault = options.onFault ?? ((): void => undefined);
  return {
    connect(tenant, endpoint) {
      const factory = factories[endpoint.transport] as ProviderFactory | undefined;
      if (!factory) throw new GateError('PROVIDER_INVALID', `This gate has no adapter for transport "${endpoint.transport}"`);
      const key = `${tenant} ${digestOf(endpoint)}`;
      const kept = (self: Connection): Connection => {
        const there = connections.get(key) ?? self;
        connections.set(key, there);
        return there;
      };
      const known = connections.get(key);
      if (known) return known.handle;
      const made = new Connection(() => factory(endpoint, tenant), { idleMs: options.idleMs ?? LIMITS.providerIdleMs, onFault, kept, onIdle: () => connections.delete(key) });
      return kept(made).handle;
    },
    async close() {
      await Promise.all([...connections.values()].map(async (connection) => await connection.close()));
      connections.clear();
    },
  };
}
