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

  @ApiProperty()
  reason!: string;

  @ApiProperty({ required: false })
  deliveries?: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ required: false, type: EventView, description: 'Only when one is shown, and only when it can be read' })
  event?: EventView;
}

export class DeadLetterListView {
  @ApiProperty({ type: [DeadLetterView] })
  deadLetters!: DeadLetterView[];
}

export class RetriedView {
  @ApiProperty()
  stream!: string;

  @ApiProperty()
  sequence!: number;

  @ApiProperty({ type: [String], description: 'Services whose handler took it' })
  services!: string[];
}
