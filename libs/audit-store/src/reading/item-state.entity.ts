import { PrimaryColumn, ViewColumn, ViewEntity } from 'typeorm';
import { bigintColumn } from './columns.js';

/** The view `item_states`: the snapshot of an item and what its facts say now. For reading only. */
@ViewEntity({ name: 'item_states', synchronize: false })
export class ItemStateEntity {
  @PrimaryColumn(bigintColumn('sequence')) sequence!: number;
  @PrimaryColumn({ name: 'ordinal', type: 'integer' }) ordinal!: number;
  @ViewColumn({ name: 'tenant' }) tenant!: string;
  @ViewColumn({ name: 'event_time' }) eventTime!: Date;
  @ViewColumn({ name: 'session' }) session!: string;
  @ViewColumn({ name: 'plan_id' }) planId!: string;
  @ViewColumn({ name: 'item_id' }) itemId!: string;
  @ViewColumn({ name: 'call_id' }) callId!: string;
  @ViewColumn({ name: 'requester' }) requester!: string;
  @ViewColumn({ name: 'kind' }) kind!: string;
  @ViewColumn({ name: 'risk' }) risk!: string;
  @ViewColumn({ name: 'description' }) description!: string;
  @ViewColumn({ name: 'category' }) category!: string;
  @ViewColumn({ name: 'provider' }) provider!: string;
  @ViewColumn({ name: 'operation' }) operation!: string;
  @ViewColumn({ name: 'input_digest' }) inputDigest!: string;
  @ViewColumn({ name: 'decision' }) decision!: string;
  @ViewColumn({ name: 'decided_by' }) decidedBy!: string | null;
  @ViewColumn({ name: 'answered_by' }) answeredBy!: string | null;
  @ViewColumn({ name: 'answer' }) answer!: string | null;
  @ViewColumn({ name: 'outcome' }) outcome!: string | null;
}
