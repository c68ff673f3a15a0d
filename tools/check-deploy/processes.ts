import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/** The end of a program and its output. */
export type Ended = { readonly code: number | null; readonly output: string };

const running = new Set<ChildProcess>();

/** Runs a program to its end and gives what it prints. Throws when it cannot be started. */
export function run(program: string, args: readonly string[], { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code, output });
    });
  });
}

/**
 * Starts a program that goes on running, with a process group of its own so that what it starts ends with it, and its
 * output in a file.
 */
export function start(
  program: string,
  args: readonly string[],
  { env, cwd, log }: { env: NodeJS.ProcessEnv; cwd: string; log: string },
): ChildProcess {
  const child = spawn(program, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(file, { end: false });
  running.add(child);
  child.once('close', () => {
    running.delete(child);
    file.end();
  });
  return child;
}

/** Ends everything that was started here and is still running: asks first, and kills after two seconds. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    const { pid } = child;
    const force = setTimeout(() => signal(pid, 'SIGKILL'), 2_000);
    child.once('close', () => {
      clearTimeout(force);
      // Its own children may have outlived it.
      signal(pid, 'SIGKILL');
      resolve();
    });
    signal(pid, 'SIGTERM');
  });
}

/** Ends a program that was started here by a signal, with what it has started; resolves once it has ended. */
export function end(child: ChildProcess, name: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    child.once('close', () => resolve());
    signal(child.pid, name);
  });
}

/** Signals the whole group where there is one, else the process; one that is gone already is no error. */
function signal(pid: number, name: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
