import { type Concluded, type Decision, type Plan, type PlannedChange, write } from '../../core/decision.ts';
import type { Fqdn, NodeId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Client, type ClientIn, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { entryDigits, type SilenceRow, type SilentEntry, silenceRef, silentIn, withSilent } from './silence.ts';

/** The most client systems of one plan: as many as one event lists, and with the node's row far below 100 rows. */
export const silencesPerPlanMax = 48;
/** The most client systems of a node whose silence is recorded: 240 KB of the 400 KB of a row. */
export const silentMax = 20_000;

/** A client system's row as it was read; undefined when there is none. */
export type Found = { readonly body: Client; readonly rev: number } | undefined;

/** The part of what the digests of a node mean that one commit records. */
export type SilenceSnapshot = {
  readonly node: { readonly id: NodeId; readonly fqdn: Fqdn };
  /** The row as it is, and as the digests make it, its records apart. */
  readonly rev: number;
  readonly next: SilenceRow;
  readonly vanished: readonly (SilentEntry & { readonly client: Found })[];
  readonly returned: readonly { readonly entry: string; readonly client: Found }[];
  /** When the first of the two digests was received that miss the vanished ones. */
  readonly since: EpochMs;
};

/**
 * Records that client systems have vanished from the digests of their node, or are back: the flag in the row of each,
 * and the row of the node's silence, which has the events, in one commit. A client system that is not silent, because
 * it has called or has moved since, gets a record all the same, so that it is looked up once.
 */
export function planSilence(snapshot: SilenceSnapshot, id: string, now: EpochMs): Plan {
  const { node, rev, next, since } = snapshot;
  const silent = snapshot.vanished.flatMap(({ client }) => changeOf(client, { type: 'silent', id, node: node.id, since }, now));
  const heard = snapshot.returned.flatMap(({ client }) => changeOf(client, { type: 'heard', id }, now));
  const gone = new Set(snapshot.returned.map(({ entry }) => entry));
  const records = [...silentIn(next).filter(({ entry }) => !gone.has(entry)), ...snapshot.vanished];
  const row = withSilent(next, records);
  const about = { zone: next.zone, node: node.id, host: node.fqdn };
  const events: Concluded[] = [...listing('client.silent', about, silent), ...listing('client.heard', { ...about, by: 'node' }, heard)];
  const because = reasonOf(row, { silent: silent.length, heard: heard.length });
  const own: PlannedChange = { ref: silenceRef(node.id), readRev: rev, decision: write(row, because, { events }) };
  return { changes: [own, ...silent, ...heard].map(({ ref, readRev, decision }) => ({ ref, readRev, decision })), because: [because] };
}

type Marked = PlannedChange & { readonly was: ClientIn<'accepted'>; readonly decision: Decision<Client> };
type Command = Parameters<typeof decide>[1];

/** The change of a client system's row, if there is one. */
function changeOf(client: Found, command: Command, now: EpochMs): Marked[] {
  if (client?.body.standing !== 'accepted') return [];
  const decision = decide(client.body, command, now);
  return decision.does === 'write' ? [{ ref: clientRef(client.body.fp), readRev: client.rev, decision, was: client.body }] : [];
}

/** One event that lists the client systems of these changes; none without any. */
const listing = (type: string, about: object, changes: readonly Marked[]): Concluded[] =>
  changes.length === 0
    ? []
    : [{ type, version: 1, data: { ...about, systems: changes.map(({ was, decision }) => listed(was, decision)) } }];

/** A client system in an event: since when it is silent, or was until now. */
function listed(was: ClientIn<'accepted'>, decision: Decision<Client>): object {
  const next = decision.does === 'write' && decision.next.standing === 'accepted' ? decision.next : was;
  return { system: was.fp, fqdn: was.fqdn, since: next.silentSince ?? was.silentSince };
}

function reasonOf(row: SilenceRow, { silent, heard }: { readonly silent: number; readonly heard: number }): string {
  const held = row.held && `${row.held.vanished} client systems vanished from its digest at once, which is rather the failure of the node`;
  const moved = [silent > 0 && `${silent} fell silent`, heard > 0 && `${heard} heard again`].filter((one) => one !== false).join(', ');
  return held ?? (moved || `its digests show all but ${row.count}`);
}

/** The beginning of a fingerprint, as lists and records have it. */
export const entryOf = (fp: string): string => fp.slice(0, entryDigits);
