import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import * as z from 'zod';

/** Exit codes of our programs, after sysexits(3) where it has one. `unwanted`: Muster has no place for this machine any more; `unusable`: a file or folder. */
export const exitCodes = { done: 0, unwanted: 1, usage: 2, unreachable: 69, software: 70, unusable: 74, busy: 75 } as const;

/** A file of ours that an operator must look at. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Where Muster is: an http or https address. */
export const Endpoint = z.url({ protocol: /^https?$/, error: 'an address such as http://127.0.0.1:8080' });

/** The value of an option as a schema reads it; a usage error with the schema's own words otherwise. */
export const checked =
  <T extends z.ZodType>(schema: T) =>
  (text: string): z.infer<T> => {
    const read = schema.safeParse(text);
    if (!read.success) throw new InvalidArgumentError(`${read.error.issues[0]?.message ?? 'not valid'}.`);
    return read.data;
  };

/** A value of an option that may be given several times, added to those before. */
export const gathered =
  <T>(read: (text: string) => T) =>
  (text: string, before: readonly T[] = []): T[] => [...before, read(text)];

/** Runs a program's command line; gives its exit code, 2 when it was called wrongly, 74 when a file or folder cannot be used, 70 when the program itself is wrong. */
export async function runCommandLine(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await everyCommand(program).parseAsync([...argv]);
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    // Commander has printed its message, with a suggestion, when it throws this.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const mendable = error instanceof Unusable || (error instanceof Error && 'syscall' in error);
    process.stderr.write(`${program.name()}: ${mendable ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    return mendable ? exitCodes.unusable : exitCodes.software;
  }
}

function everyCommand(command: Command): Command {
  for (const sub of command.commands) everyCommand(sub);
  return command.exitOverride().showHelpAfterError('(--help says more)');
}
