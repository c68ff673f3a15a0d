import { describe, expect, it } from 'vitest';
import { beginning, Kernel } from './kernel.ts';

const at = (ms: number) => (beginning + ms) as typeof beginning;

/** A chain of so many promises, each of which waits for the one before. */
async function chain(links: number): Promise<void> {
  for (let n = 0; n < links; n++) await Promise.resolve();
}

describe('virtual time', () => {
  it('lets every promise that follows from a step settle before the next', async () => {
    const kernel = new Kernel(1);
    const seen: string[] = [];
    for (let n = 0; n < 300; n++)
      kernel.after(n, 'a step', () => {
        seen.push(`step ${n}`);
        void chain(n % 50).then(() => seen.push(`settled ${n}`));
      });
    await kernel.run(at(1000));
    expect(seen).toEqual(Array.from({ length: 300 }, (_, n) => [`step ${n}`, `settled ${n}`]).flat());
    expect([kernel.steps, kernel.now]).toEqual([300, at(1000)]);
  });

  it('stands still after the step that is said to be the last, and goes on from there', async () => {
    const kernel = new Kernel(1);
    let taken = 0;
    for (let n = 1; n <= 200; n++) kernel.after(n, 'a step', () => void chain(3).then(() => (taken += 1)));
    await kernel.run(at(1000), () => taken === 70);
    expect([taken, kernel.now]).toEqual([70, at(70)]);
    await kernel.run(at(1000));
    expect([taken, kernel.now]).toEqual([200, at(1000)]);
  });

  it('passes over what was cancelled, and leaves what is due later', async () => {
    const kernel = new Kernel(1);
    const seen: number[] = [];
    const cancel = [1, 2, 3, 4].map((n) => kernel.after(n, 'a step', () => seen.push(n)));
    cancel[0]!();
    cancel[2]!();
    await kernel.run(at(3));
    expect([seen, kernel.now]).toEqual([[2], at(3)]);
    await kernel.run(at(4));
    expect(seen).toEqual([2, 4]);
  });

  it('ends with what a step throws', async () => {
    const kernel = new Kernel(1);
    kernel.after(1, 'a step', () => {
      throw new Error('a step that fails');
    });
    await expect(kernel.run(at(10))).rejects.toThrow('a step that fails');
  });
});
