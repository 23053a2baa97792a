import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class Rebuilds1767225600005 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0005-rebuilds.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
