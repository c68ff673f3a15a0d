import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { knowOperator, operatorIn } from '../../tools/support/operator.ts';

const root = join(import.meta.dirname, '../..');

/** How a process ended, and what it said. */
export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
  readonly complained: string;
};

/** An embedded host in a process of its own. */
export type HostProcess = {
  readonly pid: number;
  /** Its address, once it listens; rejects with what it complained of when it ends before. */
  readonly url: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly kill: (signal: NodeJS.Signals) => void;
};

/**
 * Starts `npm start`'s program, or another script of ours, with this environment, free of what is undefined; a free
 * port and short beats unless told.
 */
export function startProcess(
  env: Readonly<Record<string, string | undefined>>,
  script = 'programs/local/main.ts',
  args: readonly string[] = [],
): HostProcess {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      MUSTER_PORT: '0',
      MUSTER_BEAT_MIN_MS: '1000',
      MUSTER_ADMIT_EVERY_MS: '0',
      MUSTER_LOG: 'error',
      MUSTER_DEPLOYMENT: 'local',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complained] = [kept(child, 'stdout'), kept(child, 'stderr')];
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, said: said.text(), complained: complained.text() }));
  });
  const listens = said.once(/^Muster is at (http:\S+),/m).then((match) => match[1]!);
  const url = Promise.race([
    listens,
    ended.then(({ complained: why }): never => {
      throw new Error(`the host ended: ${why}`);
    }),
  ]);
  url.then(
    (at) => knowOperator(at, () => operatorIn(env['MUSTER_HOME'] ?? '.muster')),
    () => undefined,
  );
  return { pid: child.pid!, url, ended, kill: (signal) => void child.kill(signal) };
}

/** All that a process has written to one of its streams, and the first match in it. */
function kept(child: ChildProcess, stream: 'stdout' | 'stderr') {
  let text = '';
  let look = (): void => undefined;
  child[stream]!.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    look();
  });
  return {
    text: () => text,
    once: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        look = () => {
          const match = pattern.exec(text);
          if (match) resolve(match);
        };
        look();
      }),
  };
}
