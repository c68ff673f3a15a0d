import { type ApiKey, statusOf as statusOfKey } from '../../access/api-keys/api-key.ts';
import type { Client } from '../../clients/client.ts';
import { counted } from '../../clients/onboarding-tokens/changes.ts';
import { type OnboardingToken, statusOf as statusOfOnboarding } from '../../clients/onboarding-tokens/onboarding-token.ts';
import type { EpochMs } from '../../core/time.ts';
import { readCluster } from '../../mero/clusters/reads/cluster.ts';
import type { PooledHost } from '../../nodes/admission/rows/pooled-host.ts';
import { rulesRef } from '../../nodes/admission/rows/rules.ts';
import { type JoinToken, statusOf } from '../../nodes/join-tokens/join-token.ts';
import type { Node } from '../../nodes/node.ts';
import { admissionLists, apiKeyList, clientList, clientPartitions, nodeList, onboardingTokenList } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { read } from '../../runtime/read.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Settled } from '../../zones/changes/residents.ts';
import { admittedIn } from '../../zones/map/rows/roster.ts';
import type { ZoneHead } from '../../zones/zone.ts';

/** Client systems are counted up to this many: a refusal does not need to read a million entries. */
const countedMax = 1_000;

/**
 * The things that are still in a zone, in words such as `2 nodes`; empty when the zone may go. Nodes that were given up
 * and keys that were banned do not stop a deletion, nor does a host that asks for the zone without being admitted. It
 * costs a few units for an empty zone, and as many again as there are tokens and keys. `settled` has the numbers of
 * those who belong to the zone by its residents. Without it, nodes and client systems are those in the index, which may
 * be too few. Hosts, tokens and keys are counted by the index alone: a zone that goes with one of these leaves nobody
 * behind, because it lets nobody in.
 */
export async function stillIn(shell: Shell, head: ZoneHead, settled: Settled = { clients: 0, nodes: 0 }): Promise<string[]> {
  const { name } = head;
  const now = shell.now();
  const [listedNodes, listedSystems, ...others] = await Promise.all([
    nodes(shell, head),
    systems(shell, name),
    inList<PooledHost>(shell, admissionLists.pool, (host) => host.standing === 'admitted' && host.as.zone === name),
    inList<JoinToken>(shell, admissionLists.tokens, (token) => token.zone === name && statusOf(token, now) === 'valid'),
    inList<OnboardingToken>(
      shell,
      onboardingTokenList,
      async (token) => token.zone === name && statusOfOnboarding(await counted(shell, token), now) === 'valid',
    ),
    rules(shell, name),
    inList<ApiKey>(shell, apiKeyList, (key) => isLimitedTo(key, name, now)),
    head.kind === 'storage' ? runningProcesses(shell, name) : 0,
  ]);
  const counts = [Math.max(listedNodes, settled.nodes), Math.max(listedSystems, settled.clients), ...others];
  return counts.flatMap((count, i) => (count > 0 ? [countText(count, ...kinds[i]!)] : []));
}

const kinds: readonly (readonly [one: string, many: string])[] = [
  ...['node', 'client system', 'admitted host', 'join token', 'onboarding token', 'admission rule', 'API key'].map(
    (kind) => [kind, `${kind}s`] as const,
  ),
  ['process that may run', 'processes that may run'],
];

const countText = (count: number, one: string, many: string): string =>
  `${count >= countedMax ? `${countedMax} or more` : count} ${count === 1 ? one : many}`;

/** Processes of a storage cluster that may run, as far as is known. */
async function runningProcesses(shell: Shell, zone: string): Promise<number> {
  const at = await readCluster(shell, zone);
  return at?.processes.filter(({ state }) => !['unknown', 'offline', 'failed'].includes(state.is)).length ?? 0;
}

/** Nodes of the roster, or those that have joined and are not in it yet. */
async function nodes(shell: Shell, head: ZoneHead): Promise<number> {
  const listed = await inList<Node>(
    shell,
    nodeList(head.name),
    ({ zone, status, removedAt }) => zone === head.name && status !== 'dropped' && removedAt === undefined,
  );
  return Math.max(admittedIn(head.roster), listed);
}

/**
 * Accepted client systems, by the rows of the first few of each partition: the index may still have one that was banned
 * just now.
 */
async function systems(shell: Shell, zone: string): Promise<number> {
  const lists = Array.from({ length: clientPartitions }, (_, partition) => clientList.zone(zone, partition));
  const limit = Math.ceil(countedMax / clientPartitions);
  const counts = await Promise.all(
    lists.map((list) => onePage<Client>(shell, list, { limit }, (client) => client.standing === 'accepted' && client.zone === zone)),
  );
  return counts.reduce((sum, { count }) => sum + count, 0);
}

async function rules(shell: Shell, zone: string): Promise<number> {
  const row = await read(shell, rulesRef);
  return row?.rules.filter((rule) => rule.zone === zone).length ?? 0;
}

/**
 * Whether a valid API key is limited to the zone. Sessions and links do not count: a session ends by itself, and a link
 * is used up within the hour.
 */
const isLimitedTo = (key: ApiKey, zone: string, now: EpochMs): boolean =>
  key.kind === 'key' &&
  statusOfKey(key, now) === 'valid' &&
  Object.values(key.rights).some((reach) => reach !== 'all' && reach.some((one) => one === zone));

type IsOne<S> = (state: S) => boolean | Promise<boolean>;
type Page = { readonly limit: number; readonly after?: string | undefined };

/** How many rows of a list match. Index entries are only a hint: every row is read again. */
async function inList<S>(shell: Shell, list: string, isOne: IsOne<S>): Promise<number> {
  let total = 0;
  for (let after: string | undefined; ; ) {
    const { count, next } = await onePage<S>(shell, list, { limit: 200, after }, isOne);
    total += count;
    if (next === undefined || total >= countedMax) return total;
    after = next;
  }
}

async function onePage<S>(shell: Shell, pk: string, { limit, after }: Page, isOne: IsOne<S>) {
  const page = await shell.table.queryIndex({ index: 'list', pk, limit, ...(after !== undefined && { after }) });
  const keys = page.items.map(({ key }) => key);
  const states = (await readAll(shell, keys)).flatMap((row) => stateOf<S>(row, shell.now()) ?? []);
  const held = await Promise.all(states.map(isOne));
  return { count: held.filter((is) => is).length, next: page.next };
}
