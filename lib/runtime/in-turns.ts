import type { Shell } from './shell.ts';

/**
 * Runs steps to their end, and lets others have their turn whenever the steps have yielded so much: work that takes a
 * second must not stop a host for a second. Gives what the steps give, and throws what they throw.
 */
export async function inTurns<T>({ sleep }: Pick<Shell, 'sleep'>, steps: Generator<number, T>, turn: number): Promise<T> {
  for (let spent = 0; ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    spent += step.value;
    if (spent < turn) continue;
    spent = 0;
    await sleep(0);
  }
}
