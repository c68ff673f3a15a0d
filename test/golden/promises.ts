import type { Client, ClientAlias } from '../../lib/clients/client.ts';
import type { Node } from '../../lib/nodes/node.ts';
import { tickingRef } from '../../lib/ports/table/keys.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { generationAt, standingAt } from '../../lib/zones/map/rows/roster.ts';
import { standingOf } from '../../lib/zones/map/rows/standing.ts';
import type { ZoneHead } from '../../lib/zones/zone.ts';
import type { End } from './replay.ts';

/** What of an end is promised: facts by their path, such as `node n0123456789abcdef / status`. */
export type Promises = Readonly<Record<string, unknown>>;

/**
 * What must come of the same inputs for ever: what became of every node, name and client system, what was put aside, and what was
 * published about each of them, in order. How slots are divided is none of it, nor are words, keys, revisions and moments at which
 * somebody looked, nor whom a row is put down to and whether it is emitted for that (`actor`, `emits`): what is recorded is from before
 * callers were verified, and who asked changes nothing about what comes of it; `knows` are the events that count, so that one that did not exist yet may come between.
 */
export const promisesOf = (end: End, knows: readonly string[]): Promises => ({
  ...Object.assign({}, ...living(end).map((row) => ofRow(row, end))),
  ...ofEvents(end, knows),
});

const living = ({ rows, at }: End): Row[] => rows.filter((row) => !row.gone && (row.expiresAt === undefined || row.expiresAt > at));

function ofRow({ key, body }: Row, end: End): Promises {
  const [kind, id] = key.pk.split('#').map(decodeURIComponent) as [string, string];
  if (kind === 'node' && key.sk === 'node') return about(`node ${id}`, { ...nodeFacts(body as Node), ...standing(body as Node, end) });
  if (kind === 'fqdn') return about(`name ${id}`, { ...(body as object) });
  if (kind === 'client' && key.sk === 'client') return about(`client ${id}`, clientFacts(body as Client | ClientAlias));
  if (kind === 'dead') return { [`put aside / message ${(body as { id: string }).id}`]: true };
  return {};
}

const about = (subject: string, facts: object): Promises =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${subject} / ${name}`, value ?? null]));

function nodeFacts(node: Node) {
  const { fqdn, kind, zone, publicKey, watch, weight, capacity, labels, status, incarnation, generation, boot, heardAt, unready } = node;
  const { planned, reason, leaving, ordered } = node as Partial<Record<'planned' | 'reason' | 'leaving' | 'ordered', unknown>>;
  const { mode, until } = (leaving ?? {}) as { mode?: string; until?: number };
  return {
    fqdn,
    kind,
    zone,
    publicKey,
    watch,
    weight,
    capacity,
    labels,
    status,
    incarnation,
    generation,
    boot: boot?.id,
    heardAt,
    unready,
    planned,
    reason,
    ordered,
    mode,
    until,
  };
}

/** How the zone's roster has the node, which is what client systems are answered by. */
function standing({ zone, index }: Node, { rows }: End) {
  if (index === undefined) return { standing: 'none' };
  const head = rows.find(({ key }) => tickingRef(key)?.noun === 'zone' && tickingRef(key)?.id === zone)!.body as ZoneHead;
  return { standing: standingOf(standingAt(head.roster, index)), 'standing generation': generationAt(head.roster, index) };
}

function clientFacts(client: Client | ClientAlias) {
  if (client.standing === 'alias') return { standing: client.standing, of: client.of };
  const { standing, publicKey, fqdn, machineId, minion, facts, suggestedTags } = client;
  const known = { standing, publicKey, fqdn, machineId, minion: minion?.fingerprint, facts, suggestedTags };
  if (client.standing !== 'accepted') return known;
  const { zone, tags, groups, told } = client;
  return {
    ...known,
    zone,
    tags,
    groups,
    told: told?.node,
    'told generation': told?.generation,
    confirmed: told?.confirmedAt !== undefined,
  };
}

/**
 * Events of nodes and client systems, each one and in order. Of a zone's, whose slots move as the planner likes, which kinds there were,
 * and which nodes were lost.
 */
function ofEvents({ published }: End, knows: readonly string[]): Promises {
  const facts: Record<string, unknown> = {};
  const counts: Record<string, number> = {};
  for (const { subject, dataschema, data } of published) {
    const name = nameIn(dataschema);
    if (!knows.includes(name)) continue;
    if (subject.startsWith('zone/')) {
      facts[`${subject} / ${['published', name, (data as { node?: string }).node].filter(Boolean).join(' ')}`] = true;
      continue;
    }
    counts[subject] = (counts[subject] ?? 0) + 1;
    const event = `${subject} / event ${counts[subject]}`;
    facts[event] = name;
    for (const [field, value] of Object.entries(data)) facts[`${event} says ${field}`] = value;
  }
  return facts;
}

/** `node.joined.v1` from `muster:node.joined:1`. */
export const nameIn = (dataschema: string): string => dataschema.replace(/^muster:(.*):(\d+)$/, '$1.v$2');

/**
 * Where promises are not kept: what was promised and is otherwise now, and what is there now that nobody was promised. A field more in
 * an event is no breach: listeners are told to let unknown fields be.
 */
export const breaches = (promised: Promises, kept: Promises): string[] =>
  [...new Set([...Object.keys(promised), ...Object.keys(kept)])].flatMap((path) => {
    const [was, is] = [shown(promised[path]), shown(kept[path])];
    const isMore = !(path in promised) && path.includes(' says ');
    return was === is || isMore ? [] : [`${path}: promised ${was}, now ${is}`];
  });

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
