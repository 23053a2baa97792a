import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class Grants1767225600004 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0004-grants.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
