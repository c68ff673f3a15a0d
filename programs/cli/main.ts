import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOwnFile } from '../../lib/machine/own.ts';
import { exitCodes } from './exit-codes.ts';
import { run } from './program.ts';
import { runProgram } from './running.ts';
import { Interrupted, type Terminal } from './terminal.ts';

const { stdin, stdout, stderr, env } = process;

// A reader that has seen enough, such as head, closes the pipe: that is no error of ours.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    throw error;
  });
}
/** The action that ends a running command at Ctrl-C. */
let interrupt: (() => void) | undefined;
/**
 * The first Ctrl-C asks the running command to end. Without such a command, and at a second Ctrl-C, the program ends at
 * once.
 */
function interrupted(): void {
  const then = interrupt;
  if (!then) process.exit(exitCodes.interrupted);
  interrupt = undefined;
  then();
}
process.on('SIGINT', interrupted);

/** A service manager that ends a program after minutes of work gets its report, as a person does. */
function onInterrupt(then: () => void): () => void {
  interrupt = then;
  process.on('SIGTERM', interrupted);
  return () => {
    interrupt = undefined;
    process.off('SIGTERM', interrupted);
  };
}

const coloursOn = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

/** Asks on standard error, so that data stays alone on standard output; an end of input is an empty answer. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  const stop = new AbortController();
  lines.once('SIGINT', () => stop.abort(new Interrupted('Ctrl-C')));
  lines.once('close', () => stop.abort());
  try {
    return await lines.question(question, { signal: stop.signal });
  } catch (error) {
    stderr.write('\n');
    if (stop.signal.reason instanceof Interrupted) throw stop.signal.reason;
    if (stop.signal.aborted) return '';
    throw error;
  } finally {
    lines.close();
  }
}

/** The standard input is called -, and is a stream: its writer may be slower than we read. */
const read = (path: string): Promise<string | undefined> => unlessAbsent(async () => (path === '-' ? text(stdin) : readFile(path, 'utf8')));

/** A file that this user may not read counts as absent. */
async function unlessAbsent(reading: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await reading();
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** The program that shows an address in the browser, by system. The address is one argument and passes no shell. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Without a browser the person still has the address, which is shown as well. */
function open(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const opening = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  opening.on('error', () => undefined);
  opening.unref();
}

const terminal: Terminal = {
  name: basename(env['MUSTER_PROGRAM'] ?? 'muster'),
  out: (text) => stdout.write(text),
  err: (text) => stderr.write(text),
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  colours: { out: coloursOn(stdout), err: coloursOn(stderr) },
  rewrites: stderr.isTTY === true && env['TERM'] !== 'dumb',
  onInterrupt,
  columns: stdout.isTTY ? stdout.columns : undefined,
  read,
  readOwn: (path) => readOwnFile(path),
  open,
  run: (words, given) => runProgram(words, given, sleep),
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
  newKey: randomUUID,
  env,
  now: () => Date.now(),
};

process.exitCode = await run(process.argv.slice(2), terminal);
