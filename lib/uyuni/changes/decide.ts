import type { Published } from '../../../events/catalogue.ts';
import type { Thing } from '../../../events/published/server.ts';
import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import type { Change } from '../outbox/batch.ts';
import type { TakenChanges } from './changes.ts';

/** A report of changes, of a node that is a member. */
export type ChangesReport = {
  readonly id: string;
  readonly source: string;
  readonly seq: number;
  readonly changes: readonly Change[];
  readonly of: Pick<Node, 'id' | 'fqdn' | 'zone'>;
};

type ServerEvent = Extract<Published, { type: 'system.changed' | 'content.changed' }>;

/**
 * Takes in a report of what has changed on a server: it is published, and its number remembered with it. A report of
 * that number, or of an earlier one, was taken already. Numbers of another source begin anew.
 */
export function decideChanges(
  row: TakenChanges | undefined,
  { source, seq, changes, of }: ChangesReport,
  now: EpochMs,
): Decision<TakenChanges> {
  if (row?.source === source && seq <= row.seq) return nothing(`report ${seq} was taken already`);
  const events = changes.flatMap((change) => eventsOf(change, of));
  return write<TakenChanges, ServerEvent>({ zone: of.zone, source, seq, at: now }, `on its server ${changes.map(inWords).join(', ')}`, {
    events,
  });
}

/** Things in one event, so that it stays small for every way that it takes. */
const thingsMax = 100;

function eventsOf({ kind, things, bulk, why }: Change, { id: node, fqdn, zone }: ChangesReport['of']): ServerEvent[] {
  const about = {
    ...{ node, fqdn, zone },
    ...(bulk && { bulk: bulk.map(({ source: table, count: rows, op, digest }) => ({ table, op, rows, digest })) }),
    ...(why !== undefined && { why }),
  };
  const parts = things === undefined ? [undefined] : chunks(things.map(thingOf));
  const systems = (): ServerEvent[] =>
    parts.map((some) => ({ type: 'system.changed', version: 1, data: { ...about, ...(some && { systems: some }) } }));
  const content = (own: { readonly kind?: string }): ServerEvent[] =>
    parts.map((some) => ({ type: 'content.changed', version: 1, data: { ...about, ...own, ...(some && { things: some }) } }));
  if (kind === 'everything') return [...systems(), ...content({})];
  return kind === 'system' ? systems() : content({ kind });
}

const thingOf = ([number, name]: NonNullable<Change['things']>[number]): Thing => ({ number, ...(name !== undefined && { name }) });

const chunks = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / thingsMax) }, (_, n) => all.slice(n * thingsMax, (n + 1) * thingsMax));

function inWords({ kind, things, why }: Change): string {
  if (kind === 'everything') return `anything may have changed${why === undefined ? '' : `: ${why}`}`;
  const name = nameOf[kind] ?? kind.replaceAll('-', ' ');
  if (things === undefined) return `any ${name} may have changed`;
  return things.length === 1 ? `1 ${name} has changed` : `${things.length} ${namesOf[kind] ?? `${name}s`} have changed`;
}

const nameOf: Readonly<Partial<Record<Change['kind'], string>>> = {
  errata: 'erratum',
  configuration: 'configuration channel',
};
const namesOf: Readonly<Partial<Record<Change['kind'], string>>> = { errata: 'errata' };
