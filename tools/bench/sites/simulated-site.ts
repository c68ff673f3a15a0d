import { contract } from '../../../lib/contract.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { loadFunctions } from '../../../programs/local/functions.ts';
import type { Config } from '../../../test/simulation/config.ts';
import { Faults } from '../../../test/simulation/faults.ts';
import { nodeSteps } from '../../../test/simulation/invariants/rows.ts';
import { Kernel } from '../../../test/simulation/kernel.ts';
import { allOf, type Watcher } from '../../../test/simulation/watching.ts';
import type { SimulatedHost } from '../../../test/simulation/world/host.ts';
import { SimulatedServices } from '../../../test/simulation/world/services.ts';
import type { SimulatedSystem } from '../../../test/simulation/world/system.ts';
import { World } from '../../../test/simulation/world/world.ts';

/**
 * The size of a site, its shape, and how often a node admits a client system that is moved to it, in ms (0: without a
 * limit).
 */
export type SiteSize = Pick<Config, 'shape' | 'nodes' | 'clients'> & { readonly seed: number; readonly admitEveryMs: number };
/**
 * The watcher of a site's commits, whether its hosts run services, all of which are well, and whether they reach one
 * another as stations do.
 */
export type SiteOptions = { readonly watch?: Watcher; readonly services?: true; readonly stations?: true };

/**
 * The whole product with the real programs around it, on virtual time and without any fault; every client system is on
 * a node.
 */
export type SimulatedSite = {
  readonly world: World;
  readonly kernel: Kernel;
  /** When a node was last stored as down; undefined while it never was. */
  readonly downAt: (host: SimulatedHost) => EpochMs | undefined;
  /** The client systems whose confirmed node this is. */
  readonly systemsOn: (host: SimulatedHost) => SimulatedSystem[];
};

const minuteMs = 60_000;
/** How long a site may take to come together, in ms of virtual time. */
const togetherMs = 120 * minuteMs;

/** A site whose nodes are up and whose client systems are all onboarded. Throws when they are not after two hours. */
export async function simulatedSite(
  { seed, ...size }: SiteSize,
  { watch: also = {}, services, stations }: SiteOptions = {},
): Promise<SimulatedSite> {
  const kernel = new Kernel(seed);
  const config: Config = { seed, ...size, faults: {}, admins: 0, automation: false, slots: 16_384, faultMs: 0 };
  const downAt = new Map<string, EpochMs>();
  const watch = allOf([
    also,
    {
      committed: (changes) => {
        for (const { id, at, before, after } of nodeSteps(changes))
          if (after?.status === 'down' && before?.status !== 'down') downAt.set(id, at);
      },
    },
  ]);
  const present = await loadFunctions();
  const context = { config, kernel, faults: new Faults(config, kernel), watch };
  const world = new World(context, { present, previous: present });
  if (stations) for (const host of world.hosts) host.mayBeStation = true;
  if (services || stations) {
    context.faults.heal();
    for (const host of world.hosts) host.services = new SimulatedServices(host.name, context, host.allowed);
  }
  await world.prepare();
  world.start();
  letIn(world, kernel);
  await kernel.run((kernel.now + togetherMs) as EpochMs, () => world.systems.every(isOnboarded));
  const late = world.systems.filter((system) => !isOnboarded(system)).length;
  if (late > 0) throw new Error(`${late} of ${world.systems.length} client systems are on no node after two hours`);
  return {
    world,
    kernel,
    downAt: (host) => downAt.get(world.nodeOf(host) ?? ''),
    systemsOn: (host) => world.systems.filter((system) => isOnboarded(system) && system.kept.place?.fqdn === host.fqdn),
  };
}

/** Whether the daemon knows that Muster has confirmed its node. */
export const isOnboarded = ({ kept }: SimulatedSystem): boolean => kept.phase === 'onboarded';

/**
 * Makes client systems of a lost node go elsewhere at once, and accepts those that wait in the pool, until all are on a
 * node.
 */
function letIn(world: World, kernel: Kernel): void {
  const again = async (): Promise<void> => {
    await world.operator.ask(contract.editZone, { params: { zone: defaultZone }, body: { remapAfterMs: 0 } });
    for (let waits = true; waits; ) {
      const listed = await world.operator.ask(contract.listSystems, { query: { status: 'new', limit: 200 } });
      const systems = listed?.items.map(({ fp }) => fp) ?? [];
      waits = systems.length === 200;
      if (systems.length > 0) await world.operator.ask(contract.accept, { body: { systems } });
    }
    if (!world.systems.every(isOnboarded)) kernel.after(20_000, 'the operator looks again', () => void again());
  };
  void again();
}
