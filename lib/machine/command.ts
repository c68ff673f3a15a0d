import { spawn } from 'node:child_process';

/** How a command ended: in words, when it did not succeed. */
export type Ran = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Runs a command line of the operator's with further arguments, which the shell does not interpret, and text on its standard
 * input. What it prints goes to our standard error. It is killed after `limitMs`; never rejects.
 */
export function runCommand(
  line: string,
  given: readonly string[],
  { input = '', limitMs }: { input?: string; limitMs: number },
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${line} "$@"`, 'sh', ...given], {
      stdio: ['pipe', process.stderr, process.stderr],
      timeout: limitMs,
    });
    child.on('error', (error) => resolve({ ok: false, why: error.message }));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? { ok: true } : { ok: false, why: signal ? `it was ended by ${signal}` : `exit code ${code}` }),
    );
    // A command that reads nothing may close its input first; that is no failure.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
