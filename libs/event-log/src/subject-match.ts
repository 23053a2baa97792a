/** Whether a subject is in a NATS filter: `*` is one token, a closing `>` one or more. */
export function subjectMatches(filter: string, subject: string): boolean {
  const wanted = filter.split('.');
  const tokens = subject.split('.');
  for (const [index, token] of wanted.entries()) {
    if (token === '>') return index === wanted.length - 1 && tokens.length > index;
    if (index >= tokens.length || (token !== '*' && token !== tokens[index])) return false;
  }
  return tokens.length === wanted.length;
}
