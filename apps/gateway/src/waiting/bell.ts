/** Wakes one waiting function; a ring while nobody waits is kept. */
export class Bell {
  private rung = false;
  private answer: (() => void) | undefined;

  readonly ring = (): void => {
    this.rung = true;
    this.answer?.();
  };

  /** True when it has rung since it was last asked; false when the time is over. */
  async rings(withinMs: number): Promise<boolean> {
    if (!this.rung) await this.ringOrTime(withinMs);
    const rang = this.rung;
    this.rung = false;
    return rang;
  }

  private async ringOrTime(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.answer = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.answer = undefined;
  }
}
