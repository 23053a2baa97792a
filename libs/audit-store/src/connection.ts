import type { ClientBase } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';

/** pg's own connection below a query runner: COPY needs it. */
export const rawConnection = async (runner: QueryRunner): Promise<ClientBase> => (await runner.connect()) as ClientBase;

/** One transaction on one connection; rolled back when `work` throws. The connection is given back in any case. */
export async function inTransaction<T>(source: DataSource, work: (runner: QueryRunner) => Promise<T>, isolation?: 'REPEATABLE READ'): Promise<T> {
  const runner = source.createQueryRunner();
  try {
    await runner.startTransaction(isolation);
    try {
      const result = await work(runner);
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // A connection that is gone has rolled back by itself; the first error is the one to tell.
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  } finally {
    await runner.release();
  }
}
