import { execFile, spawn } from 'node:child_process';

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

/** The most that a command may print to be read: a list of 100,000 fingerprints has 6.5 MB. */
const outputMaxBytes = 16 * 2 ** 20;

/** Runs a command line of the operator's for what it prints; its errors go to our standard error. It is killed after `limitMs`; never rejects. */
export function outputOf(line: string, { limitMs }: { limitMs: number }): Promise<{ ok: true; text: string } | { ok: false; why: string }> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { timeout: limitMs, maxBuffer: outputMaxBytes, encoding: 'utf8' }, (error, text, errors) => {
      process.stderr.write(errors);
      if (!error) return resolve({ ok: true, text });
      const why = error.signal
        ? `it was ended by ${error.signal}`
        : typeof error.code === 'number'
          ? `exit code ${error.code}`
          : error.message;
      resolve({ ok: false, why });
    });
  });
}
