/** Whether a subject matches a filter with `*` and a final `>`. */
export function fits(subject: string, filter: string): boolean {
  const tokens = subject.split('.');
  const wanted = filter.split('.');
  for (const [index, token] of wanted.entries()) {
    if (token === '>') return tokens.length > index;
    if (tokens[index] === undefined || (token !== '*' && token !== tokens[index])) return false;
  }
  return tokens.length === wanted.length;
}
