import { ApiProperty } from '@nestjs/swagger';
import { AGGREGATES } from '../flow.js';

/** One event of the log, as it stands there. Bodies are digests or inline, as they were written. */
export class EventView {
  @ApiProperty()
  id!: string;

  @ApiProperty({ example: 'plan.Proposed' })
  type!: string;

  @ApiProperty({ description: 'Version of the body’s shape' })
  version!: number;

  @ApiProperty({ enum: ['GATE', 'CATALOG'] })
  stream!: string;

  @ApiProperty({ description: 'Position in the stream' })
  sequence!: number;

  @ApiProperty({ enum: AGGREGATES })
  aggregate!: string;

  @ApiProperty({ description: 'Id of the aggregate' })
  aggregateId!: string;

  @ApiProperty({ required: false })
  sessionId?: string;

  @ApiProperty({ description: '1, 2, … within the aggregate' })
  rev!: number;

  @ApiProperty({ description: 'The service that wrote it' })
  author!: string;

  @ApiProperty()
  actor!: string;

  @ApiProperty()
  correlationId!: string;

  @ApiProperty({ required: false })
  causationId?: string;

  @ApiProperty({ format: 'date-time' })
  time!: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  data!: unknown;
}

export class EventListView {
  @ApiProperty({ type: [EventView] })
  events!: EventView[];
}

export const WAITS_FOR = ['preview-fanout', 'policy', 'person', 'executor', 'provider'] as const;
export type WaitsFor = (typeof WAITS_FOR)[number];

/** Items that wait for the same thing since the same moment. */
export class WaitView {
  @ApiProperty({ type: [String] })
  itemIds!: string[];

  @ApiProperty({ enum: WAITS_FOR, description: 'The hop that has to act next' })
  waitsFor!: WaitsFor;

  @ApiProperty({ description: 'In words' })
  what!: string;

  @ApiProperty({ format: 'date-time' })
  since!: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'When the gate stops waiting' })
  until?: string;
}

export class WhyView {
  @ApiProperty()
  planId!: string;

  @ApiProperty({ enum: ['open', 'settled'] })
  status!: 'open' | 'settled';

  @ApiProperty()
  sequence!: number;

  @ApiProperty({ type: [WaitView], description: 'Empty when the plan is settled' })
  waits!: WaitView[];
}
