import { cached, type Shell } from './shell.ts';

/** Numbers that were reserved together, from the least up to, and without, `end`. */
export type Numbers = { readonly next: number; readonly end: number };

/** The numbers that this environment has reserved and not given yet; `coming`: more are being reserved. */
type Block = { next: number; end: number; coming?: Promise<void> | undefined };

/**
 * A number of the sequence `name` that nobody was given: from a block that `reserve` commits, once for all calls that
 * wait for it. What an environment has not given when it ends is lost. Throws what `reserve` throws.
 */
export async function nextNumber(shell: Shell, name: string, reserve: () => Promise<Numbers>): Promise<number> {
  const block = cached<Block>(shell, name, () => ({ next: 0, end: 0 }));
  while (block.next >= block.end) {
    block.coming ??= reserve()
      .then((reserved) => void Object.assign(block, reserved))
      .finally(() => {
        block.coming = undefined;
      });
    await block.coming;
  }
  return block.next++;
}
