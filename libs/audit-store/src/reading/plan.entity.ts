import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn, textColumn } from './columns.js';

/** `plans`, as far as lists show it. For reading only. */
@Entity({ name: 'plans', synchronize: false })
export class PlanEntity {
  @PrimaryColumn(bigintColumn('sequence')) sequence!: number;
  @Column(textColumn('tenant')) tenant!: string;
  @Column(textColumn('session')) session!: string;
  @Column(textColumn('plan_id')) planId!: string;
  @Column(textColumn('turn_id')) turnId!: string;
  @Column(textColumn('requester')) requester!: string;
  @Column({ name: 'proposed_at', type: 'timestamptz' }) proposedAt!: Date;
  @Column({ name: 'event_time', type: 'timestamptz' }) eventTime!: Date;
  @Column({ name: 'items', type: 'integer' }) items!: number;
}
