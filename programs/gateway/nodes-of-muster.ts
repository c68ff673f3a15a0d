import * as z from 'zod';
import { adminRoutes } from '../../lib/admin-contract.ts';
import type { ApiClient } from '../../lib/api/client.ts';
import type { ZoneName } from '../../lib/core/ids.ts';
import { type Directory, directoryOf, type GatewayNode, type SystemPlace } from '../../lib/uyuni/gateway/directory.ts';
import type { Numbers } from './numbers-of-nodes.ts';

/**
 * Which nodes the gateway answers for, where those are that are not at `https://NODE`, numbers that scripts of the hub
 * have for them, and what gives the numbers of systems there. Without that, Muster knows the numbers of systems that
 * were adopted.
 */
export type NodesWanted = {
  readonly zone: ZoneName | undefined;
  readonly urls: ReadonlyMap<string, string>;
  readonly serverIds?: ReadonlyMap<string, number>;
  readonly numbersOf: ((nodes: readonly GatewayNode[]) => Promise<ReadonlyMap<string, Numbers>>) | undefined;
};

/** Muster has refused to say which nodes and systems there are. */
export class NotTold extends Error {
  override readonly name = 'NotTold';
}

/** As many items of a list as are given at once. */
const pageMax = 200;

/** What a system has that the gateway needs. An earlier Muster gives no cluster ids. */
const Placed = z.object({
  clusterId: z.int().optional(),
  numberThere: z.int().optional(),
  minion: z.object({ id: z.string() }).optional(),
});

/** Nodes in these states have systems; those that are not up are named in answers as missing. */
const withSystems: Readonly<Record<string, boolean>> = { up: true, suspect: true, leaving: true, down: false, quarantined: false };

/**
 * The directory as Muster has it now. A system without a cluster id, or without a number on its node, is not in it.
 * Throws {@link NotTold}, and `Unreachable` where Muster is.
 */
export async function directoryFrom(call: ApiClient, { zone, urls, serverIds, numbersOf }: NodesWanted): Promise<Directory> {
  const nodes: GatewayNode[] = [];
  for (const name of zone === undefined ? await zonesOf(call) : [zone]) {
    for await (const node of listed((at) => call(adminRoutes.listNodes, { query: { zone: name, ...at } }))) {
      const isUp = withSystems[node.status];
      if (node.kind !== 'uyuni' || isUp === undefined) continue;
      // Nothing says yet whether a node has the common content of its zone.
      const serverId = serverIds?.get(node.fqdn);
      const url = urls.get(node.fqdn) ?? `https://${node.fqdn}`;
      nodes.push({ name: node.fqdn, url, isUp, isInSync: true, zone: name, ...(serverId !== undefined && { serverId }) });
    }
  }
  const numbers = await numbersOf?.(nodes);
  // A system that moves meanwhile may be listed on both nodes: it lives where it was seen last.
  const places = new Map<number, SystemPlace>();
  for (const { name } of nodes) for (const place of await placesOn(call, name, numbers?.get(name))) places.set(place[0], place);
  return directoryOf(nodes, places.values());
}

/**
 * Where the systems of a node are. A number that two of them would have is neither's: a minion id can come twice, and a
 * call must not reach another system than was meant.
 */
async function placesOn(call: ApiClient, node: string, numbers: Numbers | undefined): Promise<SystemPlace[]> {
  const byNumber = new Map<number, number[]>();
  for await (const system of listed((at) => call(adminRoutes.findSystems, { query: { q: `node:${node}`, sort: 'fp', ...at } }))) {
    const { clusterId, numberThere, minion } = Placed.parse(system);
    const number = numbers ? minion && numbers.get(minion.id) : numberThere;
    if (clusterId !== undefined && number !== undefined) byNumber.set(number, [...(byNumber.get(number) ?? []), clusterId]);
  }
  return [...byNumber].flatMap(([number, [clusterId, ...others]]) =>
    clusterId === undefined || others.length > 0 ? [] : [[clusterId, node, number] as const],
  );
}

async function zonesOf(call: ApiClient): Promise<ZoneName[]> {
  const names: ZoneName[] = [];
  for await (const zone of listed((at) => call(adminRoutes.listZones, { query: at }))) names.push(zone.name);
  return names;
}

type Page<T> =
  | { readonly ok: true; readonly body: { readonly items: readonly T[]; readonly next?: string | undefined } }
  | { readonly ok: false; readonly problem: { readonly detail?: string | undefined; readonly title: string } };

/** All items of a list, page by page. */
async function* listed<T>(page: (at: { limit: number; cursor?: string }) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const got = await page({ limit: pageMax, ...(cursor !== undefined && { cursor }) });
    if (!got.ok) throw new NotTold(`Muster does not say which nodes and systems there are: ${got.problem.detail ?? got.problem.title}`);
    yield* got.body.items;
    cursor = got.body.next;
  } while (cursor !== undefined);
}
