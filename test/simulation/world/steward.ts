import { contract } from '../../../lib/contract.ts';
import type { ServiceTypeName, ZoneName } from '../../../lib/core/ids.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';
import { driftingTypes, endless, ordered, orderedDrifting, putTypes } from './service-types.ts';

/** When the first services are ordered, in ms: hosts have called in by then, most of the time. */
const opensAfterMs = 70_000;

/**
 * Somebody who registers types of services, has services run on hosts, stops and reconfigures them, and asks how they
 * are.
 */
export function orderServices(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean): void {
  if (!around.config.services) return;
  const steward = new Person('steward', around, cluster, isOver);
  const { random } = steward;
  const { lateChecks = false, drifts = false } = around.config;
  const types = drifts ? [...putTypes, ...driftingTypes] : putTypes;
  const zoneOf = ({ zone }: SimulatedHost): ZoneName => zone ?? defaultZone;
  const putAll = async (): Promise<void> => {
    for (const zone of new Set(hosts.map(zoneOf)))
      for (const [type, body] of types) await steward.ask(contract.putServiceType, { params: { zone, type }, body });
  };
  type Meant = { readonly params: { readonly zone: ZoneName; readonly type: ServiceTypeName }; readonly node: string };
  const some = (): Meant & { readonly configurations: (typeof ordered)[number][1] } => {
    const host = oneOf(random, hosts)!;
    const all = drifts && random() < 0.6 ? orderedDrifting(oneOf(random, hosts)!.fqdn) : ordered;
    const [type, configurations] = oneOf(random, all)!;
    return { params: { zone: zoneOf(host), type }, node: host.fqdn, configurations };
  };
  const start = (): Promise<unknown> => {
    const { params, node, configurations } = some();
    const configuration = lateChecks && random() < 0.1 ? endless : oneOf(random, configurations);
    // One whose type asks for a configuration is started without one only to be refused.
    const isGiven = configuration && random() < 0.8;
    return steward.ask(contract.startService, { params, body: { node, ...(isGiven && { configuration }) } });
  };
  const stop = (): Promise<unknown> => {
    const { params, node } = some();
    return steward.ask(contract.stopService, { params, body: { node } });
  };
  const reconfigure = async (): Promise<unknown> => {
    const { params, node, configurations } = some();
    const configuration = lateChecks && random() < 0.1 ? endless : oneOf(random, configurations);
    return configuration && steward.ask(contract.reconfigureService, { params, body: { node, configuration } });
  };
  const question = (route: typeof contract.checkService | typeof contract.statusService) => (): Promise<unknown> => {
    const { params, node } = some();
    return steward.ask(route, { params, body: { node } });
  };
  const send = (): Promise<unknown> => {
    const { params, node } = some();
    const message = (random() < 0.8 ? 'greet' : 'mumble') as ServiceTypeName;
    return steward.ask(contract.sendService, { params, body: { node, message, data: { n: Math.round(random() * 10) } } });
  };
  around.kernel.after(opensAfterMs, 'the steward begins', async () => {
    if (isOver()) return;
    await putAll();
    for (let n = 0; n < 2 * hosts.length && !isOver(); n++) await start();
  });
  const putAgain = (): Promise<unknown> => {
    const [type, body] = oneOf(random, types)!;
    return steward.ask(contract.putServiceType, { params: { zone: zoneOf(oneOf(random, hosts)!), type }, body });
  };
  const deeds = [
    ...(lateChecks ? [putAgain] : []),
    start,
    start,
    start,
    stop,
    reconfigure,
    send,
    question(contract.checkService),
    question(contract.statusService),
  ];
  // Two at once: what one orders the other may undo.
  steward.work(deeds);
  steward.work(deeds);
}
