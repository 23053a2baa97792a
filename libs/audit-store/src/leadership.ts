import type { DataSource, QueryRunner } from 'typeorm';

/**
 * Who may project a stream: the session that holds its advisory lock. It only spares work; what keeps two projectors
 * apart is the checkpoint's compare-and-set.
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

class HeldLock implements Leadership {
  constructor(private readonly runner: QueryRunner, private readonly name: string) {}

  async release(): Promise<void> {
    if (this.runner.isReleased) return;
    await this.runner.query(`SELECT pg_advisory_unlock(hashtextextended($1, 0))`, [`countersign.project.${this.name}`]).catch(() => undefined);
    await this.runner.release();
  }
}
