import { readFile } from 'node:fs/promises';

/** The live schema. A rebuild makes a scratch schema beside it. */
export const LIVE_SCHEMA = 'audit';

/** What a schema consists of, in order; grants apply to the live schema only. */
export const STRUCTURE = ['0001-tables.sql', '0002-guards.sql', '0003-item-states.sql', '0006-decisions.sql'] as const;
export type SqlFile = (typeof STRUCTURE)[number] | '0004-grants.sql' | '0005-rebuilds.sql' | '0007-decision-grants.sql';

/** @param names what `:schema`, `:reader`, … stand for: plain lower-case names of ours */
export async function sqlOf(file: SqlFile, names: { readonly schema: string } & Partial<Readonly<Record<string, string>>>): Promise<string> {
  const text = await readFile(new URL(`./migrations/${file}`, import.meta.url), 'utf8');
  return text.replace(/(?<!:):(schema|projector|rebuilder|reader)\b/g, (_, name: string) => quoted(names[name] ?? ''));
}

/** Unqualified names mean the schema; temporary tables come last, so that nobody can put one in a table's place. */
export const searchPath = (schema: string): string => `SET LOCAL search_path TO ${quoted(schema)}, pg_temp`;

export function quoted(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw new Error(`${name} is not a plain name`);
  return `"${name}"`;
}
