import { spawn } from 'node:child_process';

/**
 * How a program ended: well, or why not, in words; and what it printed, on both streams, the last of it where that was
 * much.
 */
export type RunEnd = { readonly output: string } & ({ readonly ok: true } | { readonly ok: false; readonly why: string });
/** What a program gets on its standard input, and after how many ms it is ended. */
export type RunGiven = { readonly input: string; readonly timeoutMs: number };

/** So much of what a program printed is kept: what went wrong stands at the end. */
const outputMax = 4096;
/**
 * How long what is left in its pipes is read, in ms: whatever a program has left running holds them open for as long as
 * it lives.
 */
const restMs = 100;

/** Runs a program with its words as they are: no shell reads them. `sleep` waits so many ms. Never rejects. */
export function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  { input, timeoutMs }: RunGiven,
  sleep: (ms: number) => Promise<void>,
): Promise<RunEnd> {
  return new Promise((resolve) => {
    let output = '';
    // What it started there goes on or ends with its connection; here nothing is left of it that could ask for more
    // time.
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-outputMax);
      });
    const end = (why: string | undefined): void => {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      resolve(why === undefined ? { ok: true, output } : { ok: false, why, output });
    };
    child.on('error', ({ message }) => end(message));
    child.on('exit', (code, signal) => {
      const why = child.killed ? `it took longer than ${timeoutMs / 1000} s` : signal ? `it was ended by ${signal}` : `exit code ${code}`;
      const told = code === 0 ? undefined : why;
      child.once('close', () => end(told));
      void sleep(restMs).then(() => end(told));
    });
    // A program that reads nothing may close its input first; that is no failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
