/**
 * Does work for all items, for so many of them at once. After an error it begins no more, and rejects with the first
 * once all that it has begun has ended.
 */
export async function someAtOnce<T>(items: Iterable<T>, atOnceMax: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let failed: { readonly error: unknown } | undefined;
  const workOn = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, workOn));
  if (failed) throw failed.error;
}
