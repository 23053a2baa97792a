import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class InsertOnlyTables1767225600001 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0001-tables.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
