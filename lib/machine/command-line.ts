import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { printable } from '../core/printable.ts';
import { NotOurs } from './own.ts';

/**
 * Exit codes of our programs, after sysexits(3) where it has one. `unwanted`: Muster no longer has a place for this
 * machine; `unusable`: a file or folder cannot be used.
 */
export const exitCodes = { done: 0, unwanted: 1, usage: 2, unreachable: 69, software: 70, unusable: 74, busy: 75 } as const;

/** A file of ours that an operator must inspect. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** The address of Muster: http or https, without a user name or password, since addresses are printed and logged. */
export const Endpoint = z
  .url({ protocol: /^https?$/, error: 'an address such as http://127.0.0.1:8080' })
  .refine((text) => !hasPassword(text), { error: 'an address without a user name or password' });

const hasPassword = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.username + url.password !== '';
};

/** The value of an option as a schema reads it; a usage error with the schema's own text otherwise. */
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

/**
 * Runs a program's command line; gives its exit code, 2 when it was called wrongly, 74 when a file or folder cannot be
 * used, 70 when the program itself is wrong. That includes failures beside the command, in a timer or a call: Node's
 * own exit code for those is 1, which here means a machine that is not wanted.
 */
export async function runCommandLine(program: Command, argv: readonly string[]): Promise<number> {
  const beside = Promise.withResolvers<never>();
  // An unhandled rejection arrives here as well.
  process.on('uncaughtException', beside.reject);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', unlessUnread);
  try {
    await Promise.race([everyCommand(program).parseAsync([...argv]), beside.promise]);
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    // Commander has printed its message, with a suggestion, when it throws this.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const mendable = error instanceof Unusable || error instanceof NotOurs || (error instanceof Error && 'syscall' in error);
    process.stderr.write(`${program.name()}: ${printable(mendable ? error.message : faultOf(error))}\n`);
    return mendable ? exitCodes.unusable : exitCodes.software;
  } finally {
    process.off('uncaughtException', beside.reject);
    for (const stream of [process.stdout, process.stderr]) stream.off('error', unlessUnread);
  }
}

/** A reader that has enough, such as head, closes the pipe: the program continues without it. */
function unlessUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** A fault in one line, with the place it came from. */
function faultOf(error: unknown): string {
  const place = error instanceof Error ? error.stack?.match(/\n\s+(at .*)/)?.[1] : undefined;
  return [String(error).replaceAll(/\s*\n\s*/g, ' '), place].filter(Boolean).join(' ');
}

function everyCommand(command: Command): Command {
  for (const sub of command.commands) everyCommand(sub);
  // Commander repeats a refused value, and the part before an @ may be a password.
  command.configureOutput({ outputError: (text, write) => write(text.replace(/(argument|value) '.*@/s, "$1 '…@")) });
  return command.exitOverride().showHelpAfterError('(--help lists commands and options)');
}
