import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Unusable } from '../../../../lib/machine/command-line.ts';
import { isLoopback } from '../../../../lib/machine/endpoint.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import { checkLines } from '../../doctor/check.ts';
import type { Outcome as Ended } from '../../processes/commands.ts';
import { apacheBy, controlHere, modulesHere } from './apache.ts';
import { fileName } from './apache-file.ts';
import { type Examining, examine } from './examine.ts';
import { install, type Outcome, remove } from './install.ts';
import type { ApacheGiven, InstallGiven, LockGiven } from './options.ts';
import { type ClusterMode, makeState, readClusterMode, seatFile, writeEditing } from './settings.ts';

/** The address of Muster, and what makes a secret: 32 hexadecimal digits or more. */
export type Installing = { readonly endpoint: string; newSecret(): string };

/** Installs cluster mode, with the options given; those of an installation before are not kept, but for its secret. */
export async function clusterModeInstall(folder: Folder, given: InstallGiven, world: Installing): Promise<Ended> {
  const recorded = readClusterMode(folder);
  const outcome = await install(folder, modeOf(given, world, recorded), apacheOf(given));
  const note = given.lockContent ? '; common content is locked here' : '';
  return endOf(outcome, {
    done: `cluster mode is installed; the agent takes it up within 10 s, and is started where it does not run${note}`,
    already: 'cluster mode is installed already',
    failed: 'nothing was installed',
  });
}

function modeOf(given: InstallGiven, { endpoint, newSecret }: Installing, recorded: ClusterMode | undefined): ClusterMode {
  const modules = given.modules ?? modulesHere();
  return {
    version: 1,
    apacheFile: join(given.confDir, fileName),
    state: given.state,
    port: given.port,
    clusterUi: given.clusterUi ?? (isLoopback(endpoint) ? '/muster/ui/' : `${endpoint.replace(/\/+$/, '')}/ui/`),
    server: given.server,
    locksContent: given.lockContent === true,
    secret: recorded?.secret ?? newSecret(),
    ...(modules !== undefined && { modules }),
  };
}

/** Removes cluster mode, where it was installed by the record, else where the options say. */
export async function clusterModeRemove(folder: Folder, given: InstallGiven): Promise<Ended> {
  const { apacheFile, state } = readClusterMode(folder) ?? { apacheFile: join(given.confDir, fileName), state: given.state };
  return endOf(await remove(folder, { apacheFile, state }, apacheOf(given)), {
    done: 'cluster mode is removed',
    already: 'there is no cluster mode',
    failed: 'cluster mode is removed, and Apache has not taken that up',
  });
}

/** Checks whether cluster mode is whole, and how it stands. */
export async function clusterModeCheck(
  folder: Folder,
  given: ApacheGiven & { readonly json?: true },
  world: Omit<Examining, 'apache'>,
): Promise<Ended> {
  const checks = await examine(readClusterMode(folder), { ...world, apache: apacheOf(given) });
  const data = given.json ? `${JSON.stringify(checks, undefined, 2)}\n` : checkLines(checks);
  return { code: checks.some(({ is }) => is === 'missing') ? 1 : exitCodes.done, data };
}

/** Opens common content for editing on this server, or locks it, and records who edits where. */
export function clusterModeLock(folder: Folder, { who, node }: LockGiven, isOpen: boolean): Ended {
  const mode = readClusterMode(folder);
  if (!mode) return { code: exitCodes.usage, talk: 'cluster mode is not installed: run muster-agent uyuni cluster-mode install' };
  writeEditing(folder, who === undefined || node === undefined ? undefined : { who, node });
  makeState(mode);
  if (isOpen) writeFileSync(seatFile(mode), '');
  else rmSync(seatFile(mode), { force: true });
  const state = isOpen ? 'common content is open for editing on this server' : 'common content is locked on this server';
  return { code: exitCodes.done, talk: mode.locksContent ? state : `${state}, once it is installed with --lock-content` };
}

function apacheOf({ apachectl, reload }: ApacheGiven) {
  const control = apachectl ?? controlHere();
  if (control === undefined) throw new Unusable('there is no apachectl on this host: name the command by --apachectl <command>');
  return apacheBy(control, reload);
}

function endOf(outcome: Outcome, words: Readonly<Record<Outcome['is'], string>>): Ended {
  const talk = words[outcome.is];
  return outcome.is === 'failed' ? { code: exitCodes.software, talk: `${talk}: ${outcome.why}` } : { code: exitCodes.done, talk };
}
