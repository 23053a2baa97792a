import 'reflect-metadata';
import { DataSource, type EntityManager } from 'typeorm';
import { ItemStateEntity } from './reading/item-state.entity.js';
import { PlanEntity } from './reading/plan.entity.js';
import { LIVE_SCHEMA } from './sql.js';

/** One pool for one role. Never migrates and never synchronises. */
export function dataSourceFor(url: string, options: { readonly poolSize: number; readonly applicationName: string }): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    schema: LIVE_SCHEMA,
    poolSize: options.poolSize,
    applicationName: options.applicationName,
    entities: [PlanEntity, ItemStateEntity],
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    // A pooled connection that fails is replaced; whoever used it gets the error himself.
    poolErrorHandler: () => undefined,
    connectTimeoutMS: 5_000,
    extra: { keepAlive: true },
  });
}

/** A read-only snapshot in which only the tenant's rows exist: `SET LOCAL`, since a setting on a pooled connection would leak. */
export async function asTenant<T>(source: DataSource, tenant: string, read: (manager: EntityManager) => Promise<T>): Promise<T> {
  return source.transaction('REPEATABLE READ', async (manager) => {
    await manager.query('SET TRANSACTION READ ONLY');
    await manager.query(`SELECT set_config('app.tenant', $1, true), set_config('search_path', $2, true)`, [tenant, `${LIVE_SCHEMA}, pg_temp`]);
    return read(manager);
  });
}
