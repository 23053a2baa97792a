import { ApiProperty } from '@nestjs/swagger';
import type { ApprovalRow } from '../commands.js';
import { Page } from './page.js';

/** One item that waits for a person. */
export class ApprovalView implements ApprovalRow {
  @ApiProperty()
  planId!: string;

  @ApiProperty()
  itemId!: string;

  @ApiProperty()
  sessionId!: string;

  @ApiProperty({ required: false })
  agent?: string;

  @ApiProperty()
  requester!: string;

  @ApiProperty()
  callId!: string;

  @ApiProperty()
  provider!: string;

  @ApiProperty()
  operation!: string;

  @ApiProperty()
  risk!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ description: 'The rule that asks' })
  decidedBy!: string;

  @ApiProperty({ required: false })
  message?: string;

  @ApiProperty({ description: 'What an answer must name' })
  itemDigest!: string;

  @ApiProperty()
  inputDigest!: string;

  @ApiProperty({ format: 'date-time' })
  askedAt!: string;

  @ApiProperty({ required: false, format: 'date-time', description: 'Absent: the rule keeps waiting' })
  expiresAt?: string;

  @ApiProperty({ required: false, type: [String], description: 'One of these roles or groups, beside `approver`' })
  roles?: readonly string[];

  @ApiProperty()
  quorum!: number;

  @ApiProperty({ description: 'Of the quorum' })
  approvals!: number;

  @ApiProperty({ description: 'Position in the log of the verdict that asks' })
  sequence!: number;
}

/** Oldest first. */
export class ApprovalPage extends Page {
  @ApiProperty({ type: [ApprovalView] })
  rows!: ApprovalView[];
}

export const APPROVAL_CHANGES = ['asked', 'voted', 'corrected', 'answered', 'expired', 'closed'] as const;
/** How the queue changed; the name of a server-sent event. */
export type ApprovalChange = (typeof APPROVAL_CHANGES)[number];

export class ApprovalChangeItem {
  @ApiProperty()
  itemId!: string;

  @ApiProperty({ required: false, description: 'asked: what an answer must name' })
  itemDigest?: string;

  @ApiProperty({ required: false, description: 'voted, corrected, answered: who' })
  principal?: string;

  @ApiProperty({ required: false, enum: ['approve', 'reject'], description: 'answered' })
  decision?: string;
}

/** `data` of one event of `GET /v1/approvals/events`. */
export class ApprovalChangeView {
  @ApiProperty({ enum: APPROVAL_CHANGES })
  change!: ApprovalChange;

  @ApiProperty()
  planId!: string;

  @ApiProperty({ required: false })
  sessionId?: string;

  @ApiProperty({ description: 'Position in the log' })
  sequence!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ required: false, type: [ApprovalChangeItem], description: 'Absent for closed: whatever of the plan was waiting' })
  items?: ApprovalChangeItem[];
}
