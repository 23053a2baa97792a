/**
 * One read under way a question: whoever asks while one is under way shares the next one, so nobody is given an answer that
 * is older than his question. At rest a read begins at once; under load a thousand askers cost a few reads.
 */
export class SharedReads<T> {
  private readonly running = new Map<string, { readonly done: Promise<void>; next?: Promise<T> }>();

  read(question: string, ask: () => Promise<T>): Promise<T> {
    const current = this.running.get(question);
    if (!current) return this.begin(question, ask);
    return (current.next ??= current.done.then(() => this.begin(question, ask)));
  }

  private begin(question: string, ask: () => Promise<T>): Promise<T> {
    const answer = ask();
    const over = (): void => void this.running.delete(question);
    this.running.set(question, { done: answer.then(over, over) });
    return answer;
  }
}
