import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, RenderTree } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { failed, failureOfAbort, refused } from '../failures.js';
import type { ApplyAnswer, ApplyCall, PreviewAnswer, Provider, ProviderCall, ReconcileAnswer } from '../provider.js';
import type { ProviderFactory } from '../registry.js';
import { parseBehaviour, type FakeBehaviour } from './behaviour.js';
import { countingSink, fileSink, memorySink, type EffectSink } from './effects.js';
import { fakeOperations } from './operations.js';

export interface FakeOptions {
  /** Where effects go when the behaviour names no file. Default: only counted, or kept where keys must be known. */
  readonly sink?: EffectSink;
  /**
   * Folder of the files that behaviours name. Without it such a behaviour is refused: an endpoint is a tenant's own
   * words, and must not choose what is written on the host.
   */
  readonly effectsFolder?: string;
}

export const fakeOptions = (env: NodeJS.ProcessEnv): FakeOptions =>
  (env.COUNTERSIGN_FAKE_EFFECTS ? { effectsFolder: env.COUNTERSIGN_FAKE_EFFECTS } : {});

/** The built-in provider of transport `fake`: in-process, deterministic, without a clock or randomness of its own. */
export function fakeProviderFactory(options: FakeOptions = {}): ProviderFactory<'fake'> {
  return (endpoint) => {
    const behaviour = parseBehaviour(endpoint.behaviour);
    return new FakeProvider(behaviour, sinkFor(behaviour, options));
  };
}

function sinkFor(behaviour: FakeBehaviour, { sink, effectsFolder }: FakeOptions): EffectSink {
  if (behaviour.effects === undefined) return sink ?? (behaviour.keyed || behaviour.reconcilable ? memorySink() : countingSink());
  if (effectsFolder === undefined || !EFFECTS_FILE.test(behaviour.effects)) {
    throw new GateError('PROVIDER_INVALID', 'A fake provider writes its effects only into the folder that this gate was started with, under a plain name');
  }
  return fileSink(join(effectsFolder, behaviour.effects));
}

const EFFECTS_FILE = /^[a-z0-9][a-z0-9_-]*(\.[a-z0-9]+)?$/i;

class FakeProvider implements Provider {
  private readonly refusals = new Map<string, number>();

  constructor(private readonly behaviour: FakeBehaviour, private readonly sink: EffectSink) {}

  async describe(): Promise<ReturnType<typeof fakeOperations>> {
    return fakeOperations(this.behaviour);
  }

  async preview(call: ProviderCall): Promise<PreviewAnswer> {
    const { preview, previewSlowMs } = this.behaviour;
    if (preview === 'throw') throw new Error('the fake adapter was told to throw');
    if (preview === 'hang') await untilAborted(call.signal);
    if (previewSlowMs > 0) await pause(previewSlowMs, call.signal);
    if (call.signal.aborted) return { absent: 'timeout' };
    if (preview === 'crash') return { absent: 'failed' };
    if (preview === 'unsupported' || !call.operation.previewable) return { absent: 'unsupported' };
    return { tree: previewTree(call, preview === 'large'), fingerprint: `note:${String(call.input['name'])}` };
  }

  async apply(call: ApplyCall): Promise<ApplyAnswer> {
    if (this.behaviour.apply === 'throw') throw new Error('the fake adapter was told to throw');
    if (this.behaviour.slowMs > 0) await pause(this.behaviour.slowMs, call.signal);
    const before = await this.beforeEffect(call);
    if (before) return before;
    if (call.operation.kind === 'data_source') return { ok: true, result: this.result({ text: call.input['text'] ?? '' }) };
    if (!(this.behaviour.keyed && this.sink.has(call.idempotencyKey))) {
      this.sink.record({ key: call.idempotencyKey, operation: call.operation.name, input: call.input });
    }
    return await this.afterEffect(call);
  }

  async reconcile(call: ApplyCall): Promise<ReconcileAnswer> {
    if (!this.behaviour.reconcilable) return { found: 'unknown' };
    return this.sink.has(call.idempotencyKey) ? { found: 'applied', result: written(call) } : { found: 'not_applied' };
  }

  async close(): Promise<void> {
    this.refusals.clear();
  }

  private async beforeEffect(call: ApplyCall): Promise<ApplyAnswer | undefined> {
    switch (this.behaviour.apply) {
      case 'hang': {
        await untilAborted(call.signal);
        return failureOfAbort(call.signal);
      }
      case 'crash': return failed('process_crashed', 'The fake server’s process ended');
      case 'fail': return failed('execution_failed', 'The fake operation failed');
      case 'refuse': return refused('concurrency_conflict', 'The fake provider is busy');
      case 'flaky': return this.flaky(call);
      default: return call.signal.aborted ? failureOfAbort(call.signal) : undefined;
    }
  }

  private flaky(call: ApplyCall): ApplyAnswer | undefined {
    const times = (this.refusals.get(call.idempotencyKey) ?? 0) + 1;
    this.refusals.set(call.idempotencyKey, times);
    return times <= 2 ? refused('concurrency_conflict', 'The fake provider is busy') : undefined;
  }

  private async afterEffect(call: ApplyCall): Promise<ApplyAnswer> {
    if (this.behaviour.apply === 'crash-after') return failed('process_crashed', 'The fake server’s process ended');
    if (this.behaviour.apply === 'hang-after') {
      await untilAborted(call.signal);
      return failureOfAbort(call.signal);
    }
    return { ok: true, result: this.result(written(call)) };
  }

  private result(honest: Json): Json {
    return this.behaviour.apply === 'garbage' ? { garbage: 17 } : honest;
  }
}

const written = (call: ApplyCall): Json => (call.operation.name === 'noop' ? null : { noted: call.input['name'] ?? '' });

function previewTree(call: ProviderCall, large: boolean): RenderTree {
  const text = large ? 'x'.repeat(4 * 1024 * 1024) : String(call.input['text'] ?? '');
  return { nodes: [{ type: 'text', text: `${call.operation.name} ${String(call.input['name'] ?? '')}` }, { type: 'code_block', text }] };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
