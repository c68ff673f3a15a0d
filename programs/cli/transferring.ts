import type { EpochMs } from '../../lib/core/time.ts';
import type { Cli } from './cli.ts';
import { exitCodes, Failure } from './exit-codes.ts';

type Transfer = typeof import('../transfer/transfer.ts');
type Surroundings = import('../transfer/transfer.ts').Surroundings;

/** The header of an imported file. */
export type Imported = import('../transfer/transfer.ts').Header;

const codes = { usage: exitCodes.usage, later: exitCodes.tryAgain, failed: exitCodes.failed } as const;

/**
 * Works with the program that opens state folders and tables, which is loaded now: every other command speaks to a
 * deployment through its contract, and must not wait for adapters. Throws a {@link Failure} for its refusals.
 */
export async function transferring<T>(cli: Cli, work: (transfer: Transfer, surroundings: Surroundings) => Promise<T>): Promise<T> {
  const transfer = await import('../transfer/transfer.ts');
  const { sleep, now } = cli.terminal;
  try {
    return await work(transfer, { now: () => now() as EpochMs, sleep });
  } catch (error) {
    const refusal = transfer.refusalOf(error);
    throw refusal ? new Failure(codes[refusal.kind], refusal.message) : error;
  }
}
