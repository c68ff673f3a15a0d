import { contract } from '../../lib/contract.ts';
import { ServiceTypeName } from '../../lib/core/ids.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../lib/core/time.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { serviceSteps } from '../../test/simulation/invariants/service-rows.ts';
import type { SimulatedHost } from '../../test/simulation/world/host.ts';
import type { Bound, Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, quantile } from './rounds.ts';
import { type SimulatedSite, simulatedSite } from './sites/simulated-site.ts';

/**
 * Two types that the agent runs itself, so that the measurement is the way to them and back, and not the start of some
 * program.
 */
const types = ['statistics', 'm0d'].map((type) => ServiceTypeName.parse(type));
const nodes = 10;
/** How often each node is off: one that is lost more often within an hour or two counts as flapping. */
const rounds = 3;
/**
 * How long a node is off at least, after which it is down in either shape; and the time after which a missing service
 * is a fault.
 */
const offMs = minuteMs;
const withinMs = 30 * minuteMs;

/** A site, and when each service was last stored as online, by host and type. */
type Served = SimulatedSite & { readonly onlineAt: ReadonlyMap<string, EpochMs> };

async function served(shape: 'embedded' | 'aws'): Promise<Served> {
  const onlineAt = new Map<string, EpochMs>();
  const committed = (changes: Parameters<typeof serviceSteps>[0]): void => {
    for (const { at, before, after } of serviceSteps(changes))
      if (after?.state.is === 'online' && before?.state.is !== 'online') onlineAt.set(`${after.host}/${after.type}`, at);
  };
  const site = await simulatedSite({ seed: 1, shape, nodes, clients: nodes, admitEveryMs: 0 }, { watch: { committed }, services: true });
  return { ...site, onlineAt };
}

/**
 * Waits until all services of a host have come online since a moment; gives the ms that took. Throws when they do not.
 */
async function allOnline({ kernel, onlineAt }: Served, { fqdn }: SimulatedHost, since: EpochMs): Promise<number> {
  const cameAt = () => types.map((type) => onlineAt.get(`${fqdn}/${type}`) ?? 0);
  await kernel.run(plusMs(since, withinMs), () => cameAt().every((at) => at >= since));
  const last = Math.max(...cameAt());
  if (cameAt().some((at) => at < since)) throw new Error(`services of ${fqdn} are not online after ${withinMs / minuteMs} min`);
  return last - since;
}

/** Starts both on each node, one node after another; gives the ms that each pair took. */
async function ordered(site: Served): Promise<number[]> {
  const { kernel, world } = site;
  const random = kernel.random('orders');
  const took: number[] = [];
  for (const host of world.hosts) {
    await kernel.run(plusMs(kernel.now, Math.round(random() * 20 * secondMs)));
    const since = kernel.now;
    void (async () => {
      for (const type of types)
        await world.operator.ask(contract.startService, { params: { zone: defaultZone, type }, body: { node: host.fqdn } });
    })();
    took.push(await allOnline(site, host, since));
  }
  return took;
}

/**
 * Switches each node off and on again, one after another; gives the ms from its node-up until all its services ran
 * again.
 */
async function rebooted(site: Served): Promise<number[]> {
  const { kernel, world } = site;
  const random = kernel.random('reboots');
  const took: number[] = [];
  for (let round = 0; round < rounds; round++)
    for (const host of world.hosts) {
      host.stop(true);
      await kernel.run(plusMs(kernel.now, Math.round(offMs * (1 + random()))));
      host.start();
      took.push(await allOnline(site, host, kernel.now));
    }
  return took;
}

/**
 * How soon services should run: two heartbeats, their jitter, and the time of the sweep and the queue. An agent gets an
 * order by one heartbeat, and the services to run after its return by another.
 */
const target: Bound = { atMost: 25 };

function figures(what: string, took: readonly number[], of: string): Figure[] {
  const note = `${took.length} times; ${of}; ${nodes} nodes, heartbeats every 10 s, virtual time, agents as they are`;
  return [
    { what: `${what}, p50`, measured: median(took) / secondMs, unit: 's', note },
    { what: `${what}, p99`, measured: quantile(took, 0.99) / secondMs, unit: 's', target },
  ];
}

async function measured(shape: 'embedded' | 'aws'): Promise<Figure[]> {
  const site = await served(shape);
  const of = shape === 'aws' ? 'schedule of AWS' : 'embedded';
  const orders = await ordered(site);
  const backs = await rebooted(site);
  return [
    ...figures(`two services are ordered → both online (${of})`, orders, of),
    ...figures(`node-up after a reboot → both services online (${of})`, backs, of),
  ];
}

await program(async () => [...(await measured('embedded')), ...(await measured('aws'))]);
