import type { QueryRunner } from 'typeorm';
import { rolesHere } from '../roles.js';
import { LIVE_SCHEMA, quoted, searchPath, sqlOf, type SqlFile } from '../sql.js';

/** Runs one file in the live schema as its owner, within the migration's transaction. */
export async function runInLiveSchema(runner: QueryRunner, file: SqlFile): Promise<void> {
  const roles = await rolesHere(runner);
  await runner.query(`SET LOCAL ROLE ${quoted(roles.owner)}`);
  await runner.query(searchPath(LIVE_SCHEMA));
  await runner.query(await sqlOf(file, { schema: LIVE_SCHEMA, ...roles }));
  await runner.query('RESET ROLE');
  await runner.query('SET LOCAL search_path TO DEFAULT');
}

/** The audit is never taken back: a mistake is corrected by a further migration. */
export const refuseToRevert = async (): Promise<never> => {
  throw new Error('The audit’s tables are not taken back; write a further migration');
};
