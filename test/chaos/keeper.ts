import { spawnSync } from 'node:child_process';
import { type Ended, type HostProcess, startProcess } from '../support/host-process.ts';

/** Who starts the host, kills it and starts it again, always on the same folder and port. */
export type Keeper = {
  /** Starts it and waits until it listens; how long that took, in ms. Throws with what it complained of. */
  start(): Promise<number>;
  /** Starts it and kills it so many ms later, whatever it has come to; whether it was listening by then. */
  startAndKill(afterMs: number): Promise<boolean>;
  /** Nothing happens to one that has ended. */
  kill(): Promise<void>;
  /** Ends it as an operator does. */
  stop(): Promise<Ended>;
  /** Stops the process in its tracks, looks, and lets it go on. Nothing of it runs meanwhile. */
  frozen<T>(look: () => T): T;
  /** Starts a second process on the folder; how that ended. */
  another(): Promise<Ended>;
};

/** What is started: `npm start`'s program, or another host of ours. */
export type HostProgram = { readonly script: string; readonly args: readonly string[] };

/** The fastest heartbeat: leases of tiny deployments are short by it, those of 200 nodes are ruled by their number. */
export const beatMinMs = 1_000;

/** A keeper of a host on this folder and port; nothing is started yet. */
export function keeperOf(home: string, port: number, program: HostProgram): Keeper {
  const env = { MUSTER_HOME: home, MUSTER_BEAT_MIN_MS: String(beatMinMs), MUSTER_ADMIT_EVERY_MS: '0' };
  const launch = (on: number): HostProcess => endingWithUs(startProcess({ ...env, MUSTER_PORT: String(on) }, program.script, program.args));
  let host: HostProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<Ended> => {
    host?.kill(signal);
    return host!.ended;
  };
  return {
    start: async () => {
      const startedAt = performance.now();
      host = launch(port);
      await host.url;
      return performance.now() - startedAt;
    },
    startAndKill: async (afterMs) => {
      host = launch(port);
      let listens = false;
      host.url.then(
        () => {
          listens = true;
        },
        () => undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await end('SIGKILL');
      return listens;
    },
    kill: async () => void (host && (await end('SIGKILL'))),
    stop: () => end('SIGTERM'),
    frozen: (look) => frozen(host!, look),
    another: async () => {
      const second = launch(0);
      // One that is not refused would never end.
      second.url.then(
        () => second.kill('SIGKILL'),
        () => undefined,
      );
      return second.ended;
    },
  };
}

/** However this process ends, the host does not outlive it. */
function endingWithUs(host: HostProcess): HostProcess {
  const end = (): void => host.kill('SIGKILL');
  process.once('exit', end);
  void host.ended.then(() => process.removeListener('exit', end));
  return host;
}

function frozen<T>({ pid, kill }: HostProcess, look: () => T): T {
  kill('SIGSTOP');
  try {
    // A signal takes its time: what is under way in the kernel is finished first.
    for (let tries = 0; !stateOf(pid).startsWith('T'); tries++) if (tries > 1000) throw new Error(`process ${pid} does not stop`);
    return look();
  } finally {
    kill('SIGCONT');
  }
}

/** The state of a process as `ps` shows it: `T` is stopped. */
const stateOf = (pid: number): string => spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
