import type { PolicyMatch } from '@countersign/contracts';

/** The finite match fields, most specific first: rules are compared by which of them they give, in this order. */
export const TUPLE_FIELDS = ['tool_name', 'provider', 'risk', 'kind'] as const satisfies readonly (keyof PolicyMatch)[];
export type TupleField = (typeof TUPLE_FIELDS)[number];

/** What a rule is matched against. `tool_name` is the operation's name, for tools and slash commands alike. */
export type MatchValues = Readonly<Record<TupleField, string>>;

/** The given fields with their values as words, e.g. `tool_name=write_file, risk=high`; for messages. */
export const matchText = (match: PolicyMatch): string => {
  const given = TUPLE_FIELDS.filter((field) => match[field] !== undefined).map((field) => `${field}=${match[field]}`);
  return given.length === 0 ? 'everything' : given.join(', ');
};
