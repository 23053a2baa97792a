import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class Decisions1767225600006 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0006-decisions.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
