/** Work that is done one after another, in the order in which it came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does work once all that came before has ended, however it ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
