/** Names the administrator of a PostgreSQL, or lets its client library find one: PGHOST, PGPASSWORD, PGPASSFILE … */
const ADMINISTRATORS = /^(DATABASE_URL|PG[A-Z]+)$/;

/** What a service's process gets of ours: everything but the way into the database, which audit alone has, by its configuration and as less. */
export function serviceEnvironment(env: NodeJS.ProcessEnv, configFile: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !ADMINISTRATORS.test(name.toUpperCase()));
  return { COUNTERSIGN_LOG: 'warn', ...Object.fromEntries(kept), COUNTERSIGN_CONFIG: configFile };
}
