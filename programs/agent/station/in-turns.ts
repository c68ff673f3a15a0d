/** Calls a function for each item, for at most `atOnce` of them at the same time. */
export async function concurrently<T>(items: readonly T[], atOnce: number, does: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const item of left) await does(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}
