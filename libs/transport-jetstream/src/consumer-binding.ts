import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import { GateError } from '@countersign/kernel';

/** A durable pull consumer that exists; the strategy never creates one. */
export interface ConsumerBinding {
  readonly stream: string;
  readonly consumer: string;
  readonly ackWaitMs: number;
  readonly maxDeliver: number;
  /** A work queue forgets what is terminated; then a dead letter could not be retried. */
  readonly forgetsTerminated: boolean;
}

/**
 * Reads back what the set-up made.
 * @throws GateError UNAVAILABLE naming what is missing or does not fit: explicit acks are what "done" rests on
 */
export async function bindConsumer(manager: JetStreamManager, stream: string, consumer: string): Promise<ConsumerBinding> {
  const { config } = await infoOf(manager, stream, consumer);
  if (config.ack_policy !== 'explicit') throw new GateError('UNAVAILABLE', `The consumer ${consumer} of ${stream} does not ask for explicit acknowledgements`);
  if (config.deliver_subject) throw new GateError('UNAVAILABLE', `The consumer ${consumer} of ${stream} pushes; this service pulls`);
  const forgetsTerminated = (await retentionOf(manager, stream)) !== 'limits';
  return { stream, consumer, forgetsTerminated, ackWaitMs: (config.ack_wait ?? 30e9) / 1e6, maxDeliver: config.max_deliver ?? -1 };
}

async function retentionOf(manager: JetStreamManager, stream: string): Promise<string> {
  try {
    return (await manager.streams.info(stream)).config.retention;
  } catch (error) {
    throw new GateError('UNAVAILABLE', `The stream ${stream} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws GateError UNAVAILABLE */
export async function infoOf(manager: JetStreamManager, stream: string, consumer: string): Promise<ConsumerInfo> {
  try {
    return await manager.consumers.info(stream, consumer);
  } catch (error) {
    throw new GateError('UNAVAILABLE', `The consumer ${consumer} of ${stream} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
}
