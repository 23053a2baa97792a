import { SERVICES, type CommandContext, type CommandMap, type CommandName, type ServiceName } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import type { Lifetime } from '../edge/lifetime.js';
import type { Commands } from '../ports.js';

export interface Readiness {
  readonly ready: boolean;
  readonly stopping: boolean;
  /** Whether the log's leader answers. */
  readonly log: boolean;
  /** Services that answer and do their work; without one of them its part waits in the log. */
  readonly services: Readonly<Partial<Record<ServiceName, boolean>>>;
}

const ASK_MS = 1_000;
const KEPT_MS = 1_000;
/** Health is nobody's in particular. */
const NOBODY: CommandContext = { tenant: '_', principal: 'gateway', correlationId: 'readiness' };

/** This process is ready when it can read the log: everything else is reported, since a missing service makes work wait and not fail. */
export class ReadinessProbe {
  private last: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;

  constructor(private readonly log: EventLog, private readonly commands: Commands, private readonly lifetime: Lifetime) {}

  /** Asked at most once a second, whoever asks. */
  probe(): Promise<Readiness> {
    const now = performance.now();
    if (!this.last || now - this.last.at > KEPT_MS || this.lifetime.isStopping) this.last = { at: now, readiness: this.look() };
    return this.last.readiness;
  }

  private async look(): Promise<Readiness> {
    const others = SERVICES.filter((service) => service !== 'gateway');
    const [log, ...answers] = await Promise.all([this.reads(), ...others.map((service) => this.answers(service))]);
    const stopping = this.lifetime.isStopping;
    return { ready: log && !stopping, stopping, log, services: Object.fromEntries(others.map((service, index) => [service, answers[index] === true])) };
  }

  private reads(): Promise<boolean> {
    return within(ASK_MS, this.log.lastSequence('CATALOG', 'evt.>').then(() => true, () => false));
  }

  private answers(service: ServiceName): Promise<boolean> {
    return within(ASK_MS, (service === 'audit' ? this.audits() : this.call(`${service}.health` as CommandName).then(() => true)).catch(() => false));
  }

  /** It answers also when it has stopped for good, or has no database: what it says of its streams tells. */
  private async audits(): Promise<boolean> {
    const { checkpoints } = await this.call('audit.status');
    return Object.values(checkpoints).every(({ halted }) => halted === undefined);
  }

  private call<N extends CommandName>(name: N): Promise<CommandMap[N][1]> {
    return this.commands.call(name, {} as CommandMap[N][0], NOBODY, { timeoutMs: ASK_MS });
  }
}

async function within(ms: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => { timer = setTimeout(() => resolve(false), ms); });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
