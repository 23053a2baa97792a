/**
 * What every process needs to find programs, its home, its scratch folder and its encoding. Nothing else of the gate's
 * environment is passed on but what the endpoint names (ADR 0011).
 */
const ALWAYS = ['PATH', 'HOME', 'TMPDIR', 'LANG'] as const;

/** The gate's own settings and its database's, which name its secrets; an endpoint cannot ask for them. */
const NEVER = /^(COUNTERSIGN_|PG|DATABASE_URL$)/;

/** A variable that is named but not set is left out: the server says for itself what it misses. */
export function serverEnvironment(named: readonly string[] = [], from: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of [...ALWAYS, ...named]) {
    const value = from[name];
    if (value !== undefined && !NEVER.test(name)) environment[name] = value;
  }
  return environment;
}
