import { readFileSync } from 'node:fs';
import { arch, cpus, hostname, release, totalmem } from 'node:os';
import { apiClient } from '../lib/api/client.ts';
import { Fqdn, showFingerprint } from '../lib/ids.ts';
import { exitCodes, runCommandLine } from '../lib/machine/command-line.ts';
import { folderAt, holdFolder } from '../lib/machine/folder.ts';
import { orNothing, osName } from '../lib/machine/os-name.ts';
import type { World } from '../lib/machine/reactor.ts';
import type { EpochMs } from '../lib/units.ts';
import type { Machine } from './calls.ts';
import { commandDriver, noDriver } from './command-driver.ts';
import { startDaemon } from './daemon.ts';
import { identityIn, keepIn, keptIn } from './identity.ts';
import { type ClientOptions, clientProgram } from './options.ts';
import { isHeard } from './watch.ts';

const world: World = {
  now: () => Date.now() as EpochMs,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** The client daemon as a program: the one file here with a clock, timers and chance. */
const program = clientProgram({ run, fingerprint });

function fingerprint({ home }: ClientOptions): void {
  process.stdout.write(`${showFingerprint(identityIn(folderAt(home)).fp)}\n`);
}

async function run(options: ClientOptions): Promise<void> {
  const fqdn = options.fqdn ?? Fqdn.safeParse(hostname()).data;
  if (!fqdn) return program.error(`error: this host calls itself ${hostname()}, which is not fully qualified: say --fqdn <name>`);
  const machineId = options.machineId ?? orNothing(() => readFileSync('/etc/machine-id', 'utf8'));
  if (!machineId) return program.error('error: there is no /etc/machine-id: say --machine-id <id>');
  const folder = folderAt(options.home);
  const release = holdFolder(folder);
  if (!release) {
    say(`another daemon uses ${folder.path}; give each its own --home`);
    process.exitCode = exitCodes.busy;
    return;
  }
  const { fp, publicKey } = identityIn(folder);
  say(`${fqdn} knocks at ${options.endpoint}; fingerprint ${showFingerprint(fp)}`);
  process.exitCode = await untilEnded(
    options,
    { fp, publicKey, fqdn, machineId, facts: factsOf(options), tags: options.tag ?? [] },
    folder,
  );
  release();
}

/** Runs the daemon until a signal or a ban ends it; gives the exit code. */
function untilEnded(options: ClientOptions, machine: Machine, folder: ReturnType<typeof folderAt>): Promise<number> {
  return new Promise((resolve) => {
    const daemon = startDaemon({
      api: apiClient(options.endpoint),
      machine,
      driver: options.drive === undefined ? noDriver : commandDriver(options.drive),
      kept: keptIn(folder),
      keep: (kept) => keepIn(folder, kept),
      isHeard,
      say,
      ended: () => resolve(exitCodes.unwanted),
      world,
    });
    process.on('SIGHUP', () => daemon.knockNow());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        daemon.stop();
        resolve(exitCodes.done);
      });
    }
  });
}

function factsOf({ fact = [] }: ClientOptions): Record<string, string> {
  const own = {
    os: osName(),
    kernel: release(),
    arch: arch(),
    cpus: String(cpus().length),
    memoryMib: String(Math.floor(totalmem() / 2 ** 20)),
  };
  return { ...own, ...Object.fromEntries(fact) };
}

function say(line: string): void {
  process.stderr.write(`muster-client: ${line}\n`);
}

process.exit(await runCommandLine(program, process.argv));
