import type { ChildProcess } from 'node:child_process';
import { spawnGroup } from './group.ts';

/** How a command ended, with the reason if it did not succeed. */
export type Ran = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Runs a command line of the operator's with further arguments, which the shell does not interpret, and text on its
 * standard input. Its output goes to our standard error. It is killed after `limitMs`, with all that it has started;
 * never rejects.
 */
export async function runCommand(
  line: string,
  given: readonly string[],
  { input = '', limitMs }: { input?: string; limitMs: number },
): Promise<Ran> {
  // No pipe: a daemon that the command starts, such as a minion, would keep it open, and the command would never end.
  const stdio = ['pipe', process.stderr, process.stderr] as const;
  const child = spawnGroup('/bin/sh', ['-c', `${line} "$@"`, 'sh', ...given], { limitMs, stdio: [...stdio] });
  // A command that reads nothing may close its input first; that is no failure.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return ended(child);
}

/** The most that a command may print to be read: a list of 100,000 fingerprints has 6.5 MB. */
const outputMaxBytes = 16 * 2 ** 20;

/** How a program ended, and what it printed on each of its outputs. */
export type Output = { readonly ended: Ran; readonly text: string; readonly errors: string };

/**
 * Runs a program and gives its output. It is killed after `limitMs`, or when it prints too much, with all that it has
 * started; never rejects.
 */
export async function outputOfProgram(file: string, args: readonly string[], { limitMs }: { limitMs: number }): Promise<Output> {
  const child = spawnGroup(file, args, { limitMs, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { text: '', errors: '', bytes: 0 };
  const hear = (name: 'text' | 'errors') => (part: string) => {
    printed.bytes += Buffer.byteLength(part);
    if (printed.bytes <= outputMaxBytes) printed[name] += part;
    else child.kill('SIGKILL');
  };
  child.stdout?.setEncoding('utf8').on('data', hear('text'));
  child.stderr?.setEncoding('utf8').on('data', hear('errors'));
  const how = await ended(child);
  const { text, errors, bytes } = printed;
  if (bytes > outputMaxBytes) return { ended: { ok: false, why: `it printed more than ${outputMaxBytes} B` }, text: '', errors };
  return { ended: how, text, errors };
}

/**
 * Runs a command line of the operator's and gives its output; its errors go to our standard error. It has the limits of
 * {@link outputOfProgram}; never rejects.
 */
export async function outputOf(
  line: string,
  { limitMs }: { limitMs: number },
): Promise<{ ok: true; text: string } | { ok: false; why: string }> {
  const { ended: how, text, errors } = await outputOfProgram('/bin/sh', ['-c', line], { limitMs });
  process.stderr.write(errors);
  return how.ok ? { ok: true, text } : how;
}

/** How a child ended, once its outputs are closed. */
const ended = (child: ChildProcess): Promise<Ran> =>
  new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, why: error.message }));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? { ok: true } : { ok: false, why: signal ? `it was ended by ${signal}` : `exit code ${code}` }),
    );
  });
