import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class Guards1767225600002 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0002-guards.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
