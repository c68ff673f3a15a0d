import { join, resolve } from 'node:path';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { NodeKind } from '../ledger.ts';
import { runsAs, type ServiceUser } from '../runs-as.ts';
import type { Trace } from '../traces.ts';
import { livesOf } from './born.ts';
import { ChildRunner, readyAfterDefaultMs } from './child.ts';
import { configurationFilesIn } from './configuration-files.ts';
import { ProcessKeeper } from './keeper.ts';
import { modeOf, type ProcessesGiven } from './options.ts';
import { SystemdRunner } from './systemd.ts';

/** The folder in which the packages of the processes look for their configuration. */
export const sysconfigDefault = '/etc/sysconfig';

/** The parts of this host that a keeper of its processes needs. */
export type OfHost = {
  readonly folder: Folder;
  /** Names the boot of its kernel. */
  readonly kernel: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  newName(): string;
  say(line: string): void;
  readonly trace?: Trace | undefined;
  /** Whether the agent may now restart without Muster what ends. */
  mayGoOn(): boolean;
  readonly world: World;
};

/** The keeper of this host's processes by the command line; undefined where the agent runs no processes. */
export function keeperFor(
  given: ProcessesGiven & { readonly kind: NodeKind; readonly serviceUser?: readonly ServiceUser[] },
  { folder, kernel, environment, newName, say, trace, mayGoOn, world }: OfHost,
): ProcessKeeper | undefined {
  const mode = modeOf(given);
  if (mode === 'off') return undefined;
  const lives = livesOf(kernel);
  const { run = [], readyAfter: readyAfterMs = readyAfterDefaultMs, readyLine, sysconfig = sysconfigDefault } = given;
  const runner =
    mode === 'systemd'
      ? new SystemdRunner({ lives, serviceUser: given.serviceUser })
      : new ChildRunner({
          // An absolute path, because a child runs in another folder.
          folder: join(resolve(folder.path), 'processes'),
          commands: new Map(run.map(({ prefix, command }) => [prefix, command])),
          readyAfterMs,
          readyLine,
          environment,
          lives,
          runsAs: runsAs(given.serviceUser),
          now: world.now,
        });
  return new ProcessKeeper({ folder, runner, files: configurationFilesIn(sysconfig), lives, newName, say, trace, mayGoOn, world });
}
