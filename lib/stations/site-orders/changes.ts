import { nothing, type Plan, type PlannedChange, type Tick, write } from '../../core/decision.ts';
import { type NodeId, ServiceTypeName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { clusterRef } from '../../mero/clusters/cluster.ts';
import { rowsIn } from '../../mero/clusters/reads/rows.ts';
import type { Place } from '../../mero/facts/load/parts.ts';
import type { Layout } from '../../mero/loads/load.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { fqdnRef } from '../../nodes/rows/name.ts';
import { loadRange } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { planService } from '../../services/changes/reports.ts';
import { recoveryCoordinator } from '../../services/rows/own-work.ts';
import { askedForMs, asksMax, type Service, serviceRef } from '../../services/service.ts';
import { rosterSize } from '../../zones/map/rows/roster.ts';
import { type ZoneHead, zoneRef } from '../../zones/zone.ts';
import { haltOf } from '../rows/quorum.ts';
import { type Stations, stationsRef } from '../stations.ts';
import { decide, type SiteOrdersInput } from './decide.ts';
import { type Acting, decideOrder, type Ordered, type Refused, type Wish } from './order.ts';
import { type HostBmc, type SiteOrder, type SiteOrders, siteOrdersRef } from './site-orders.ts';

/** The message that the coordinator's agent understands beside those of any service. */
export const powerCycle = ServiceTypeName.parse('power-cycle');
/** The id of the question to that agent that carries an order. */
export const askOf = (n: number): string => `site-order-${n}`;

/** A plan of an order, with the order that it makes. */
export type OrderPlan = Plan & { readonly does: 'order'; readonly order: SiteOrder };

/**
 * Has the coordinator power-cycle a host. The order and the question to the coordinator's agent are in one commit,
 * which holds only if it still coordinates. An order is a question that is sent once. It goes with the instance of the
 * service, whose name contains the epoch.
 */
export async function planOrder(shell: Shell, reading: Reading, zone: string, wish: Wish): Promise<OrderPlan | Refused> {
  const refs = [siteOrdersRef(zone), stationsRef(zone), fqdnRef(wish.host), zoneRef(zone)];
  const [row, stationsRow, nameRow, headRow] = await reading.rows(refs);
  const now = shell.now();
  const orders = stateOf<SiteOrders>(row, now);
  const stations = stateOf<Stations>(stationsRow, now);
  const holder = stateOf<{ node: NodeId }>(nameRow, now)?.node;
  const coordinator = stations?.coordinator;
  const ref = coordinator && serviceRef({ node: coordinator.node, type: recoveryCoordinator });
  const [serviceRow, nodeRow] = await Promise.all([ref && reading.row(ref), holder && reading.row(nodeRef(holder))]);
  const service = stateOf<Service>(serviceRow, now);
  const node = nodeRow ? stateOf<Node>(nodeRow, now) : undefined;
  const head = stateOf<ZoneHead>(headRow, now);
  const isKnown = orders?.bmcs.some(({ host }) => host === wish.host) ?? false;
  const ground = {
    acting: actingOf(stations, service, now),
    status: node?.zone === zone ? node.status : undefined,
    hosts: head ? rosterSize(head.roster) : 0,
    bmc: isKnown ? undefined : await bmcInFacts(shell, reading, zone, wish.host),
    answerMs: (service?.limits.askMs ?? 0) + askedForMs,
  };
  const decided = decideOrder(orders, wish, ground, now);
  if (decided.does === 'refuse') return decided;
  const { ordered, ...decision } = decided;
  const asked = await planService(reading, { ref: ref!, row: serviceRow }, asking(service!, ordered, now), now);
  const changes: PlannedChange[] = [
    { ref: siteOrdersRef(zone), readRev: row!.rev, decision },
    { ref: stationsRef(zone), readRev: stationsRow!.rev, decision: nothing('it still coordinates') },
    ...asked.changes,
  ];
  return { does: 'order', changes, because: [decision.because], order: ordered.order };
}

/**
 * The coordinator that acts on site for a zone now, by the stations of the zone and by the coordinator service; or why
 * there is none.
 */
function actingOf(stations: Stations | undefined, service: Service | undefined, now: EpochMs): Acting {
  if (!stations || stations.hosts.length === 0) return { why: 'the zone has no stations: it has no coordinator on site', isQuorum: false };
  const halt = haltOf(stations, now);
  if (halt !== undefined) return { why: halt, isQuorum: false };
  const { coordinator } = stations;
  if (!coordinator) return { why: 'no station coordinates yet: the last coordinator may still act', isQuorum: true };
  const { host, node, epoch } = coordinator;
  if (service?.state.is !== 'online')
    return { why: `recovery-coordinator is ${service?.state.is ?? 'not registered'} on ${host}`, isQuorum: true };
  if (service.asks.filter(({ until }) => until > now).length >= asksMax)
    return { why: `${asksMax} questions wait for an answer from ${host}`, isQuorum: true };
  return { node, epoch };
}

function asking(service: Service, { order, command, bmc }: Ordered, now: EpochMs) {
  const { n, epoch, host, dryRun, until } = order;
  const data = JSON.stringify({ order: n, epoch, host, dryRun, bmc: bmc.address, user: bmc.user, secret: bmc.secret, command });
  const ask = { id: askOf(n), what: 'message' as const, message: powerCycle, data, until };
  const next: Service = { ...service, asks: [...service.asks.filter((one) => one.until > now), ask] };
  return write<Service, never>(next, `it is ordered to power-cycle ${host}`);
}

/**
 * The BMC of a host in the facts: the one in its place, where its enclosure has as many BMCs as hosts. A BMC that
 * several hosts share would take the others down with it.
 */
async function bmcInFacts(shell: Shell, reading: Reading, zone: string, host: string): Promise<HostBmc | undefined> {
  const cluster = stateOf(await reading.row(clusterRef(zone)), shell.now());
  if (!cluster?.loaded) return undefined;
  for await (const { body } of rowsIn(shell, zone, loadRange('layout', cluster.loaded.load))) {
    const { page } = body as Layout;
    for (const place of page.of === 'sites' ? page.places : []) {
      const found = bmcIn(place, host);
      if (found) return found;
    }
  }
  return undefined;
}

function bmcIn({ enclosure }: Place, host: string): HostBmc | undefined {
  const { bmc = [], hosts = [] } = enclosure ?? {};
  const at = hosts.findIndex(({ h_fqdn }) => h_fqdn === host);
  const found = bmc.length === hosts.length ? bmc[at] : undefined;
  if (at < 0 || !found) return undefined;
  return { host: hosts[at]!.h_fqdn, address: found.bmc_addr, user: found.bmc_user, secret: found.bmc_pass.secret };
}

export async function decided(shell: Shell, zone: string, what: SiteOrdersInput | Tick): Promise<SiteOrders | undefined> {
  const input = { ...what, id: `site-${shell.newId()}` };
  const { decision, state } = await apply(shell, siteOrdersRef(zone), input, decide);
  shell.log('debug', 'site-orders.decided', { zone, does: decision.does, because: decision.because });
  return state;
}

/**
 * Notes nodes for a power cycle by the rule: they are down, as a majority of the stations of their zone agrees. Costs
 * one read where no rule power-cycles hosts.
 */
export async function wantPowerCycled(shell: Shell, zone: string, nodes: readonly NodeId[]): Promise<void> {
  const orders = await read(shell, siteOrdersRef(zone));
  if (!orders?.power || orders.power.auto === 'off') return;
  for (const id of nodes) {
    const node = await read(shell, nodeRef(id));
    if (node?.status === 'down') await decided(shell, zone, { type: 'down', host: node.fqdn, node: id });
  }
}
