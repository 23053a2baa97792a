interface Read<T> {
  readonly answer: Promise<T>;
  /** When it is over, however it ended. */
  readonly over: Promise<void>;
  sent: boolean;
  next?: Promise<T>;
}

/**
 * One read under way a question. It is sent at the end of the event loop's turn, so that all who ask in the same turn share
 * it; whoever asks once it is sent shares the next one, so nobody is given an answer that is older than his question. At rest
 * a read waits for nothing else; under load a thousand askers cost a few reads, and the items of a plan that are begun
 * together go on together.
 */
export class SharedReads<T> {
  private readonly reads = new Map<string, Read<T>>();

  read(question: string, ask: () => Promise<T>): Promise<T> {
    const current = this.reads.get(question);
    if (!current) return this.begin(question, ask);
    if (!current.sent) return current.answer;
    return (current.next ??= current.over.then(() => this.read(question, ask)));
  }

  private begin(question: string, ask: () => Promise<T>): Promise<T> {
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      read.sent = true;
      return ask();
    });
    const over = (): void => void this.reads.delete(question);
    const read: Read<T> = { answer, over: answer.then(over, over), sent: false };
    this.reads.set(question, read);
    return answer;
  }
}
