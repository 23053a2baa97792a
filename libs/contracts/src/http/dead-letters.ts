import { ApiProperty } from '@nestjs/swagger';
import { EventView } from './plan-events.js';

/** A delivery that ran out of tries, or could not be read. The event itself is untouched in the log. */
export class DeadLetterView {
  @ApiProperty({ description: 'Stream of the event' })
  stream!: string;

  @ApiProperty({ description: 'Position of the event in its stream' })
  sequence!: number;

  @ApiProperty({ description: 'The service that could not handle it' })
  service!: string;

  @ApiProperty({ enum: ['unparsable', 'failed', 'deliveries'], description: 'unparsable: ended at once. failed: its handler threw to the last. deliveries: it was never settled, e.g. it ends its process' })
  kind!: 'unparsable' | 'failed' | 'deliveries';

  @ApiProperty()
  reason!: string;

  @ApiProperty()
  deliveries!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ description: 'How often a person had it retried' })
  retries!: number;

  @ApiProperty({ required: false, format: 'date-time', description: 'A retry runs until then at the latest' })
  retryingUntil?: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'When a retry succeeded' })
  resolvedAt?: string;

  @ApiProperty({ required: false, type: EventView, description: 'Only when one is shown, and only when it can be read' })
  event?: EventView;
}

export class DeadLetterListView {
  @ApiProperty({ type: [DeadLetterView] })
  deadLetters!: DeadLetterView[];
}

export class RetryFailureView {
  @ApiProperty()
  service!: string;

  @ApiProperty()
  code!: string;

  @ApiProperty()
  message!: string;
}

export class RetriedView {
  @ApiProperty()
  stream!: string;

  @ApiProperty()
  sequence!: number;

  @ApiProperty({ type: [String], description: 'Services whose handler took it' })
  services!: string[];

  @ApiProperty({ type: [RetryFailureView], description: 'Services whose handler did not, of those that were asked together; when none took it, it is an error' })
  failures!: RetryFailureView[];
}
