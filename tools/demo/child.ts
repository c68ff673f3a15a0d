import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The path of a program of the project, from its path below the root. */
export const program = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * A program of ours as a child process; `has` tells whether it has printed this lately, `tail` gives the end of its
 * output.
 */
export type Child = {
  readonly name: string;
  readonly process: ChildProcess;
  has(text: string): boolean;
  tail(): string;
  exited: Promise<void>;
};

const tailLines = 8;

/**
 * Starts a program of the project with this Node; `ipc` opens a channel to it; `within` are words of a command that
 * becomes it, such as one that enters a namespace first. Its output is stored, and shown only if something fails.
 */
export function startChild(
  name: string,
  args: readonly string[],
  { env = {}, ipc = false, within = [] }: { env?: Readonly<Record<string, string>>; ipc?: boolean; within?: readonly string[] } = {},
): Child {
  const [file, ...words] = [...within, process.execPath, ...args];
  const child = spawn(file!, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-20_000);
    });
  }
  return {
    name,
    process: child,
    has: (part) => text.includes(part),
    tail: () => text.trimEnd().split('\n').slice(-tailLines).join('\n'),
    exited: new Promise((resolve) => child.once('exit', () => resolve())),
  };
}

/** Whether it has ended, by itself or by a signal. */
export const hasEnded = ({ process: child }: Child): boolean => child.exitCode !== null || child.signalCode !== null;

/** Ends children: asks first, and kills after `patienceMs`. Resolves when all are gone. */
export async function stopChildren(children: readonly Child[], patienceMs = 3_000): Promise<void> {
  const running = children.filter((child) => !hasEnded(child));
  for (const { process: child } of running) child.kill('SIGTERM');
  const timer = setTimeout(() => {
    for (const child of running) if (!hasEnded(child)) child.process.kill('SIGKILL');
  }, patienceMs);
  await Promise.all(running.map(({ exited }) => exited));
  clearTimeout(timer);
}

/** The output of a child, as soon as it matches; rejects when the child ends before. */
export function outputOf(child: Child, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.process.stdout?.on('data', (part: string) => {
      text += part;
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    void child.exited.then(() => reject(new Error(`the ${child.name} ended:\n${child.tail()}`)));
  });
}
