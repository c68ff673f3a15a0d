import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { ProcessKeeper } from '../../../programs/agent/processes/keeper.ts';
import type { ServiceKeeper } from '../../../programs/agent/services/keeper.ts';
import { SupervisorKeeper } from '../../../programs/agent/supervisor/keeper.ts';
import type { Around } from '../cluster.ts';
import type { SimulatedHost } from './host.ts';

/** What a supervisor on a host works with; `run` tells one agent of a host from the next, and from those of copies. */
type With = {
  readonly folder: Folder;
  readonly words: ProcessKeeper;
  readonly served: ServiceKeeper;
  readonly world: World;
  readonly run: number;
};

/** What watches others from a host where it is told to; undefined in a world that has no supervisors. */
export function supervisorOf(
  { config, kernel, watch }: Around,
  host: SimulatedHost,
  { folder, words, served, world, run }: With,
): SupervisorKeeper | undefined {
  if (!config.supervisors || !host.site) return undefined;
  const by = { host: host.name, run };
  const ping = host.site.pingFrom(host, (address, isHeard) => watch.pinged({ ...by, at: kernel.now, address, isHeard }));
  const say: ProcessKeeper['say'] = (said) => {
    for (const one of said) if (one.type === 'supervisor.missed') watch.missed({ ...by, at: kernel.now, missed: one.data.missed });
    words.say(said);
  };
  return new SupervisorKeeper({ folder, ping, world, reporter: { say, written: () => words.written() }, absent: () => served.absent() });
}
