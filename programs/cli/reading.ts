import type { Cli } from './cli.ts';
import { exitCodes, Failure } from './exit-codes.ts';

/**
 * The text of a file, for - of the standard input, read to its end. Throws a {@link Failure} when it cannot be read.
 */
export async function textOf({ terminal }: Pick<Cli, 'terminal'>, file: string): Promise<string> {
  const name = file === '-' ? 'the standard input' : file;
  const text = await terminal.read(file).catch((error: NodeJS.ErrnoException) => {
    if (typeof error.code !== 'string') throw error;
    throw new Failure(exitCodes.usage, `${name} cannot be read (${error.code})`);
  });
  if (text === undefined) throw new Failure(exitCodes.usage, `${name} does not exist, or you may not read it`);
  return text;
}
