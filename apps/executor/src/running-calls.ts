import type { Freeze, TenantId } from '@countersign/contracts';
import { freezeCovering, type Freezable } from '@countersign/domain-tenant';
import { isGateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import type { TenantViews } from './tenant-views.js';

const LOOK_EVERY_MS = 300;

/** One call at a provider, which a freeze tells to cancel. */
export interface RunningCall {
  /** Aborts with its parent, or when the call is frozen while it runs. */
  readonly signal: AbortSignal;
  /** The freeze that told it to cancel. */
  frozen(): Freeze | undefined;
  /** From now on it runs. Once. */
  begin(): void;
  end(): void;
}

interface Watched { readonly call: Freezable; readonly abort: (freeze: Freeze) => void }

/** Calls of this process that run. While there are any, their tenants' freezes are looked at a few times a second. */
export class RunningCalls {
  private readonly byTenant = new Map<TenantId, Set<Watched>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tenants: Pick<TenantViews, 'of'>, private readonly logger: Pick<ServiceLogger, 'error' | 'warn'>) {}

  prepare(tenant: TenantId, call: Freezable, parent: AbortSignal): RunningCall {
    const controller = new AbortController();
    let frozen: Freeze | undefined;
    const follow = (): void => controller.abort(parent.reason);
    const watched: Watched = {
      call,
      abort: (freeze) => {
        frozen = freeze;
        controller.abort(new Error('frozen'));
      },
    };
    if (parent.aborted) follow();
    else parent.addEventListener('abort', follow, { once: true });
    return {
      signal: controller.signal,
      frozen: () => frozen,
      begin: () => this.add(tenant, watched),
      end: () => {
        parent.removeEventListener('abort', follow);
        this.remove(tenant, watched);
      },
    };
  }

  private add(tenant: TenantId, watched: Watched): void {
    const running = this.byTenant.get(tenant);
    if (running) running.add(watched);
    else this.byTenant.set(tenant, new Set([watched]));
    this.timer ??= setTimeout(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  private remove(tenant: TenantId, watched: Watched): void {
    const running = this.byTenant.get(tenant);
    running?.delete(watched);
    if (running?.size === 0) this.byTenant.delete(tenant);
  }

  private async look(): Promise<void> {
    await Promise.all([...this.byTenant].map(async ([tenant, running]) => await this.lookAt(tenant, running)));
    this.timer = this.byTenant.size === 0 ? undefined : setTimeout(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** A leader that does not answer is asked again at the next look; nothing is started meanwhile. */
  private async lookAt(tenant: TenantId, running: ReadonlySet<Watched>): Promise<void> {
    try {
      const state = await this.tenants.of(tenant);
      if (state.freezes.size === 0) return;
      for (const { call, abort } of [...running]) {
        const freeze = freezeCovering(state, call);
        if (freeze) abort(freeze);
      }
    } catch (error) {
      this.logger[isGateError(error) ? 'warn' : 'error']({ err: error, tenant }, 'it could not be seen whether running calls are frozen');
    }
  }
}
