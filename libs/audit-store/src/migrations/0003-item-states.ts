import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class ItemStates1767225600003 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0003-item-states.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
