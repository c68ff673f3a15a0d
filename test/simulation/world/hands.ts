import { contract } from '../../../lib/contract.ts';
import type { Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** When somebody says how hosts are power-cycled, in ms: stations are named by then, or are about to be. */
const opensAfterMs = 110_000;
const secondMs = 1_000;
const rules = ['on', 'on', 'off', 'dry-run'] as const;

/** Somebody says how hosts are power-cycled, has some be, and has the rule do it. */
export function orderPowerCycles(
  around: Around,
  cluster: Cluster,
  cast: {
    readonly hosts: readonly SimulatedHost[];
    readonly stations: ReadonlyMap<ZoneName, readonly Fqdn[]>;
    readonly isOver: () => boolean;
  },
): void {
  const { hosts, stations, isOver } = cast;
  if (!around.config.hands || stations.size === 0) return;
  const smith = new Person('smith', around, cluster, isOver);
  const { random } = smith;
  const some = () => {
    const zone = oneOf(random, [...stations.keys()])!;
    return { params: { zone }, host: oneOf(random, inZone(hosts, zone))!.fqdn };
  };
  const say = async (): Promise<void> => {
    for (const zone of stations.keys()) {
      const bmcs = inZone(hosts, zone).map(({ fqdn }) => ({ host: fqdn, address: `bmc.${fqdn}`, user: 'admin', secret: `bmc/${fqdn}` }));
      const body = { everyMs: 60 * secondMs, auto: oneOf(random, rules)!, bmcs };
      await smith.ask(contract.editPower, { params: { zone }, body });
    }
  };
  const edit = (): Promise<unknown> => {
    const auto = oneOf(random, rules)!;
    return smith.ask(contract.editPower, { params: some().params, body: { auto, everyMs: between(random, 60, 240) * secondMs } });
  };
  const order = (): Promise<unknown> => {
    const { params, host } = some();
    const body = { host, ...(random() < 0.6 && { force: true }), ...(random() < 0.15 && { dryRun: true }) };
    return smith.ask(contract.orderOnSite, { params, body });
  };
  around.kernel.after(opensAfterMs, 'the smith begins', () => void (!isOver() && say()));
  if (around.config.incident === 'lapse') return;
  const deeds = [order, order, order, order, edit, () => smith.ask(contract.getSiteOrders, { params: some().params })];
  // Two at once: one finds the host of the other under way.
  smith.work(deeds);
  smith.work(deeds);
}

const inZone = (hosts: readonly SimulatedHost[], of: ZoneName): readonly SimulatedHost[] =>
  hosts.filter(({ zone = defaultZone }) => zone === of);
