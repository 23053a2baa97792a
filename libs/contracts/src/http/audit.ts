import { ApiProperty } from '@nestjs/swagger';
import type { AuditRebuildReport, AuditRebuildStatus, AuditStatus } from '../commands.js';
import type { WireError } from '../errors.js';
import { Page } from './page.js';

export class AuditPlanView {
  @ApiProperty()
  planId!: string;

  @ApiProperty()
  sessionId!: string;

  @ApiProperty()
  turnId!: string;

  @ApiProperty()
  requester!: string;

  @ApiProperty({ format: 'date-time' })
  proposedAt!: string;

  @ApiProperty({ description: 'How many' })
  items!: number;

  @ApiProperty()
  sequence!: number;
}

export class AuditItemView {
  @ApiProperty()
  planId!: string;

  @ApiProperty()
  itemId!: string;

  @ApiProperty()
  callId!: string;

  @ApiProperty()
  provider!: string;

  @ApiProperty()
  operation!: string;

  @ApiProperty()
  kind!: string;

  @ApiProperty()
  risk!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty()
  category!: string;

  @ApiProperty()
  inputDigest!: string;

  @ApiProperty({ required: false })
  decision?: string;

  @ApiProperty({ required: false })
  decidedBy?: string;

  @ApiProperty({ required: false })
  answeredBy?: string;

  @ApiProperty({ required: false })
  answer?: string;

  @ApiProperty({ required: false })
  outcome?: string;
}

export class AuditPlanPage extends Page {
  @ApiProperty({ type: [AuditPlanView] })
  rows!: AuditPlanView[];
}

export class AuditItemPage extends Page {
  @ApiProperty({ type: [AuditItemView] })
  rows!: AuditItemView[];
}

export class AuditStatusView implements AuditStatus {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'By stream: how far the audit is, and how far the log. A tenant is told of its own events' })
  checkpoints!: AuditStatus['checkpoints'];

  @ApiProperty({ description: 'Events that could not be projected' })
  quarantined!: number;
}

export class AuditReportView implements AuditRebuildReport {
  @ApiProperty({ description: 'Every table rebuilt from the log has the digest of the table in use' })
  identical!: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true })
  upTo!: AuditRebuildReport['upTo'];

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  tables!: AuditRebuildReport['tables'];
}

/** A rebuild goes on by itself once it was begun; ask until its state is not `running`. */
export class AuditRebuildView implements AuditRebuildStatus {
  @ApiProperty({ enum: ['none', 'running', 'finished', 'failed'], description: 'Of the last rebuild that was begun' })
  state!: AuditRebuildStatus['state'];

  @ApiProperty({ required: false, description: 'Which rebuild that is' })
  rebuild?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  startedAt?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  endedAt?: string;

  @ApiProperty({ description: 'Built again so far. Before the first and after the last of them the tables are read' })
  events!: number;

  @ApiProperty({ description: 'To build again in all' })
  total!: number;

  @ApiProperty({ type: 'object', additionalProperties: true, selfRequired: false, description: 'Why it failed' })
  error?: WireError;

  @ApiProperty({ required: false, type: AuditReportView, description: 'What the last rebuild that finished has found; `reportOf` says which one that was' })
  report?: AuditReportView;

  @ApiProperty({ required: false })
  reportOf?: string;
}
