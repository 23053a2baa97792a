import type { DataSource, QueryRunner } from 'typeorm';

/**
 * Who may project a stream, or rebuild: the session that holds its advisory lock, which ends with the session. It only
 * spares work; what keeps two projectors apart is the checkpoint's compare-and-set.
 */
export interface Leadership {
  release(): Promise<void>;
}

/** Undefined while another session holds it. */
export async function tryLead(source: DataSource, name: string): Promise<Leadership | undefined> {
  const runner = source.createQueryRunner();
  try {
    const [row] = await runner.query(`SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine`, [`countersign.project.${name}`]);
    if (row.mine === true) return new HeldLock(runner, name);
  } catch (error) {
    await runner.release();
    throw error;
  }
  await runner.release();
  return undefined;
}

/** Whether some session of this database holds it. */
export async function isLed(source: DataSource, name: string): Promise<boolean> {
  const [row] = await source.query(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)) AS held`, [`countersign.project.${name}`]);
  return row.held === true;
}

class HeldLock implements Leadership {
  constructor(private readonly runner: QueryRunner, private readonly name: string) {}

  async release(): Promise<void> {
    if (this.runner.isReleased) return;
    await this.runner.query(`SELECT pg_advisory_unlock(hashtextextended($1, 0))`, [`countersign.project.${this.name}`]).catch(() => undefined);
    await this.runner.release();
  }
}
