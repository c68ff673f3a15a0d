import { spawn } from 'node:child_process';

/**
 * The end of a program: success, or the reason why not, in words, and its output on both streams, of which only the
 * last part is retained.
 */
export type RunEnd = { readonly output: string } & ({ readonly ok: true } | { readonly ok: false; readonly why: string });
/** The standard input of a program, and the time in ms after which it is ended. */
export type RunGiven = { readonly input: string; readonly timeoutMs: number };

/** The length of output that is retained: errors are at its end. */
const outputMax = 4096;
/**
 * How long the rest of its pipes is read, in ms: a process that a program leaves running holds them open for as long as
 * it runs.
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
    // A process that it started on another host goes on, or ends with its connection. SIGKILL leaves nothing here that
    // could ask for more time.
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
      const reason = code === 0 ? undefined : why;
      child.once('close', () => end(reason));
      void sleep(restMs).then(() => end(reason));
    });
    // A program that reads nothing may close its input first; that is no failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
