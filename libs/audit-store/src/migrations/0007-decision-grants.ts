import type { MigrationInterface, QueryRunner } from 'typeorm';
import { refuseToRevert, runInLiveSchema } from './live-schema.js';

export class DecisionGrants1767225600007 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return runInLiveSchema(runner, '0007-decision-grants.sql');
  }

  down(): Promise<never> {
    return refuseToRevert();
  }
}
