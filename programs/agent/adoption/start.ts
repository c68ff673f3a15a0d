import type { EpochMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { AgentOptionsGiven } from '../options.ts';
import type { AgentView } from '../view.ts';
import { offerSystems } from './adopter.ts';
import { saltSystems } from './salt-systems.ts';
import { AdoptionWanted } from './wanted.ts';

type Env = { readonly folder: Folder; readonly world: World; offered(): void; say(line: string): void };

/** Loaded when it is asked for: a host without a Uyuni server needs no client of PostgreSQL. */
const uyuniRegistered = () => import('../uyuni/registered.ts');

/**
 * The offering of the systems of this host for adoption, beside its agent: those of the Salt master that it watches,
 * with what the Uyuni server knows of them whose changes it reports.
 */
export function offeringHere({ watchSource, reportChanges: rhnConf }: AgentOptionsGiven, { folder, world, offered, say }: Env) {
  const wanted = new AdoptionWanted(folder);
  const registered = rhnConf === undefined ? undefined : async () => (await uyuniRegistered()).registeredIn(rhnConf)();
  const now = (): EpochMs => world.now();
  const systems = watchSource?.by === 'salt-master' ? saltSystems(watchSource.what, now, registered) : undefined;
  return { wanted, start: (agent: AgentView) => offerSystems({ wanted, systems, world, offered, say }, agent) };
}
