import { folderAt } from '../../../../lib/machine/folder.ts';
import { orNothing } from '../../../../lib/machine/os-name.ts';
import { everySoOften } from '../../every-so-often.ts';
import type { Outcome } from '../../processes/commands.ts';
import type { Installing } from './commands.ts';
import type { Examining } from './examine.ts';
import type { Keeper, KeepsClusterMode } from './keeper.ts';
import { lookEveryMs } from './looking.ts';
import type { DoesClusterMode, InstallGiven } from './options.ts';
import { settingsFile } from './settings.ts';

/** Keeps cluster mode beside the agent wherever it is installed, until it is stopped. */
export function clusterModeHere(options: KeepsClusterMode): { stop(): void } {
  let keeper: Keeper | undefined;
  options.seat.heard = () => keeper?.followNow();
  const looking = everySoOften(
    lookEveryMs,
    async () => {
      // What it takes is loaded where it is installed: other hosts need none of it.
      if (!keeper && orNothing(() => options.folder.read(settingsFile) ?? '') === '') return;
      keeper ??= new (await import('./keeper.ts')).Keeper(options);
      await keeper.look();
    },
    options.world,
  );
  return {
    stop: () => {
      looking.stop();
      void keeper?.close();
    },
  };
}

/** What the commands of cluster mode need of the program. */
type Running = Pick<Installing, 'newSecret'> &
  Pick<Examining, 'limit'> & { outcome(ended: Outcome): void; endpoint(given: InstallGiven): string; now(): number };

/** Loaded when they are asked for: other hosts need none of it. */
const commands = () => import('./commands.ts');

/** The commands of cluster mode, which hand what came of them to the program. */
export const clusterModeCommands = ({ outcome, endpoint, newSecret, now, limit }: Running): DoesClusterMode => ({
  clusterModeInstall: async (given) => {
    const world = { endpoint: endpoint(given), newSecret };
    outcome(await (await commands()).clusterModeInstall(folderAt(given.home), given, world));
  },
  clusterModeCheck: async (given) => outcome(await (await commands()).clusterModeCheck(folderAt(given.home), given, { now: now(), limit })),
  clusterModeRemove: async (given) => outcome(await (await commands()).clusterModeRemove(folderAt(given.home), given)),
  clusterModeLock: async (given, isOpen) => outcome((await commands()).clusterModeLock(folderAt(given.home), given, isOpen)),
});
