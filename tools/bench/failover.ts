import { contract } from '../../lib/contract.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../lib/core/time.ts';
import { leaseMs } from '../../lib/stations/stations.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import type { SimulatedHost } from '../../test/simulation/world/host.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, quantile, spread } from './rounds.ts';
import { type SimulatedSite, simulatedSite } from './sites/simulated-site.ts';

/** Five hosts of which three are stations, as many as are advised at least. */
const [nodes, stations] = [5, 3];
/** How often the coordinator is lost, alternately by its power and by its way to Muster. */
const rounds = 40;
/** How often the acting station is looked up, in ms. */
const lookEveryMs = 50;
/** The time after which a missing successor is a fault; and the rest of a site before the next loss. */
const withinMs = 10 * minuteMs;
const calmMs = 5 * minuteMs;

/** The hosts that may act on site now, as their agents report, and their epochs. */
const acting = ({ world }: SimulatedSite): { readonly host: SimulatedHost; readonly epoch: number }[] =>
  world.hosts.flatMap((host) => {
    const epoch = host.onSite?.coordinator.acts();
    return epoch === undefined ? [] : [{ host, epoch }];
  });

/**
 * Waits until a station acts under an epoch above this one. Gives its host, and the time; throws when two act at once,
 * or none does in time.
 */
async function follows(site: SimulatedSite, above: number): Promise<{ readonly host: SimulatedHost; readonly epoch: number }> {
  const { kernel } = site;
  for (const until = plusMs(kernel.now, withinMs); kernel.now < until; ) {
    await kernel.run(plusMs(kernel.now, lookEveryMs) as EpochMs);
    const all = acting(site);
    if (all.length > 1) throw new Error(`two act at once: ${all.map(({ host, epoch }) => `${host.fqdn}, epoch ${epoch}`).join(' and ')}`);
    if (all[0] && all[0].epoch > above) return all[0];
  }
  throw new Error(`no station has followed epoch ${above} after ${withinMs / minuteMs} min`);
}

/** Loses the coordinator, again and again; gives the ms until another station acts, for each time. */
async function failovers(shape: 'embedded' | 'aws'): Promise<number[]> {
  const site = await simulatedSite({ seed: 1, shape, nodes, clients: nodes, admitEveryMs: 0 }, { stations: true });
  const { kernel, world } = site;
  const random = kernel.random('failovers');
  const hosts = world.hosts.slice(0, stations).map(({ fqdn }) => fqdn);
  void world.operator.ask(contract.putStations, { params: { zone: defaultZone }, body: { hosts } });
  let now = await follows(site, 0);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await kernel.run(plusMs(kernel.now, Math.round(calmMs + random() * minuteMs)));
    const [lost, since] = [now.host, kernel.now];
    if (round % 2 === 0) lost.stop(true);
    else lost.line.unheardUntil = kernel.now + withinMs;
    now = await follows(site, now.epoch);
    took.push(kernel.now - since);
    if (round % 2 === 0) lost.start();
    else lost.line.unheardUntil = 0;
  }
  return took;
}

/** The lease, the tenth after which another may take over, and 5 s for the way there. */
const target = { atMost: (leaseMs * 1.1 + 5 * secondMs) / secondMs };

async function measured(shape: 'embedded' | 'aws'): Promise<Figure[]> {
  const took = (await failovers(shape)).map((ms) => ms / secondMs);
  const of = shape === 'aws' ? 'schedule of AWS' : 'embedded';
  const what = `the coordinator is lost → another station acts (${of})`;
  const note = `${spread(took, (s) => s.toFixed(1))}; half lost power, half their way to Muster; never two at once, looked at each ${lookEveryMs} ms; virtual time`;
  return [
    { what: `${what}, p50`, measured: median(took), unit: 's', note },
    { what: `${what}, at the most`, measured: quantile(took, 1), unit: 's', target },
  ];
}

await program(async () => [...(await measured('embedded')), ...(await measured('aws'))]);
