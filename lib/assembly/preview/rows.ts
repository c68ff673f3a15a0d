import { leaseMsOf } from '../../core/lease.ts';
import { type EpochMs, earlier } from '../../core/time.ts';
import { intervalNow } from '../../deployment/reads.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { nodeList } from '../../ports/table/keys.ts';
import { changesMax } from '../../ports/table/limits.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readListed, readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import { stationsRef } from '../../stations/stations.ts';
import { fallenSilent, heardOn, stationsOn } from './heard.ts';

/** The rows of the nodes of a zone, those that were given up included. */
export async function nodeRows(shell: Shell, zone: string): Promise<Row<Node>[]> {
  const keys = (await wholeList(shell, nodeList(zone))).map(({ key }) => key);
  return (await readListed(shell, nodeRef, keys)).filter((row): row is Row<Node> => stateOf(row, shell.now())?.zone === zone);
}

/**
 * Lets every agent of a zone go on as it does: nodes and stations that are heard stay so, except for those that fall
 * silent now. Gives the ids of the nodes.
 */
export async function keepHeard(shell: Shell, zone: string, silent: ReadonlySet<string>): Promise<string[]> {
  const now = shell.now();
  const rows = await nodeRows(shell, zone);
  const nodes = rows.map(({ body }) => body);
  const indexes = new Set(nodes.flatMap(({ id, index }) => (silent.has(id) && index !== undefined ? [index] : [])));
  const leaseMs = Math.round(leaseMsOf(await intervalNow(shell)));
  const stations = await readRow(shell, stationsRef(zone));
  await replaceAll(shell, [
    ...rows.map((row) => (silent.has(row.body.id) ? silenced(row, leaseMs, now) : { row, body: heardOn(row.body, now) })),
    ...(stations && stateOf(stations, now) ? [{ row: stations, body: stationsOn(stations.body, { ids: silent, indexes }, now) }] : []),
  ]);
  return nodes.map(({ id }) => id);
}

/** A row with the body that it has from now on, and the time at which it is due if that is another. */
type Replaced = { readonly row: Row; readonly body: unknown; readonly dueAt?: EpochMs };

function silenced(row: Row<Node>, leaseMs: number, now: EpochMs): Replaced {
  const body = fallenSilent(row.body, leaseMs, now);
  return { row, body, ...('leaseUntil' in body && { dueAt: body.leaseUntil }) };
}

/** Stores rows with other bodies and the same reasons: no decision made them so. */
async function replaceAll(shell: Shell, all: readonly Replaced[]): Promise<void> {
  const by = shell.newId();
  const puts = all.flatMap(({ row, body, dueAt }) => {
    const { rev: readRev, wakeAt, ...content } = row;
    const at = earlier(wakeAt, dueAt);
    return body === content.body ? [] : [{ put: { ...content, by, body, ...(at !== undefined && { wakeAt: at }) }, readRev }];
  });
  for (let from = 0; from < puts.length; from += changesMax) await shell.table.commit(puts.slice(from, from + changesMax));
}
