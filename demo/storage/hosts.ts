import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kernelBoot } from '../../agent/facts.ts';
import { type Lives, livesOf } from '../../agent/processes/born.ts';
import { readTable } from '../../agent/processes/disk.ts';
import type { Life } from '../../agent/processes/state.ts';
import { ZoneName } from '../../lib/ids.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import type { EpochMs } from '../../lib/units.ts';
import { program } from '../child.ts';

/** The zone of the demo's storage cluster, and its hosts. */
export const zone = ZoneName.parse('tier1');
export const hosts = ['ssu1', 'ssu2', 'client1'].map((name) => `${name}.demo.muster.test`);
/** The host that clients run on. */
export const clientHost = hosts[2]!;
/** The program that stands for each process. */
export const aProcess = program('demo/storage/a-process.ts');

/** Where an agent finds Muster, its folder, and the port on which it is seen to live. */
export type AgentPlace = { readonly endpoint: string; readonly home: string; readonly port: number };

/** The command line of an agent: its processes are children that say when they are ready. */
export function agentWords(host: string, { endpoint, home, port }: AgentPlace): string[] {
  const command = `${process.execPath} ${aProcess}`;
  return [
    program('agent/main.ts'),
    ...['--endpoint', endpoint, '--fqdn', host, '--kind', 'storage', '--zone', zone],
    ...['--home', home, '--watch', `127.0.0.1:${port}`, '--sysconfig', join(home, 'sysconfig')],
    ...['--processes', 'child', '--ready-line', 'ready'],
    ...['m0d', 'm0t1fs', 's3server'].flatMap((prefix) => ['--run', `${prefix}=${command}`]),
  ];
}

/** How long a process may take to end that was asked to, in ms. */
const patienceMs = 3_000;
const lookMs = 50;

/** Ends whatever an agent has started that still lives, once the agent itself has ended: each is asked first, and killed after a while. */
export async function endProcesses(home: string): Promise<void> {
  const lives = livesOf(kernelBoot(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), Date.now() as EpochMs, uptime()));
  const folder = join(home, 'processes');
  // Each child writes down its line of the kernel's table before it becomes what it is. One that was begun last may yet have to.
  const begun = existsSync(home) ? (readTable(folderAt(home))?.held ?? []).filter(({ is, unmanaged }) => is !== 'idle' && !unmanaged) : [];
  const all = (): Life[] =>
    existsSync(folder) ? readdirSync(folder).flatMap((file) => (file.endsWith('.pid') ? lifeIn(join(folder, file), lives) : [])) : [];
  const living = () => all().filter((life) => lives.isOn(life));
  const until = Date.now() + patienceMs;
  while (Date.now() < until && (living().length > 0 || all().length < begun.length)) {
    for (const { pid } of living()) signal(pid, 'SIGTERM');
    await sleep(lookMs);
  }
  for (const { pid } of living()) signal(pid, 'SIGKILL');
}

const lifeIn = (file: string, lives: Lives): Life[] => {
  const life = lives.in(readFileSync(file, 'utf8'));
  return life ? [life] : [];
};

/** Signals a process that may have ended meanwhile. */
function signal(pid: number, what: NodeJS.Signals): void {
  try {
    process.kill(pid, what);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
