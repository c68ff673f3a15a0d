/** Does work for all items, for so many of them at once. Rejects with the first error, and begins no more after it. */
export async function someAtOnce<T>(items: Iterable<T>, atOnceMax: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let hasFailed = false;
  const workOn = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && !hasFailed; next = waiting.next()) {
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, workOn));
}
