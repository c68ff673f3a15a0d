import type { AdminCaller } from '../../access/verify-admin.ts';
import { isEverywhere, seesZone } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import type { NodeId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Shell } from '../../runtime/shell.ts';
import { BadQuery } from '../../search/language/bad-query.ts';
import { parse } from '../../search/language/parse.ts';
import type { Query } from '../../search/language/query.ts';
import { type Fleet, partOfNoZone } from '../../search/reads.ts';
import { type Answer, search } from '../../search/segment/search.ts';
import type { Segment } from '../../search/segment/segment.ts';
import { besideOf, waitingIn } from '../../search/systems/beside.ts';
import { among } from '../../search/systems/document.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { seenOf } from './coverage.ts';

/**
 * The query of a text, whose ages count back from `at`. Throws a {@link Refusal} that points at a field of the call for
 * one that cannot be read, or that asks for what is not indexed.
 */
export function readQuery(text: string, at: EpochMs, pointer: string): Query {
  const badQuery = (detail: string): Refusal => new Refusal('bad-query', detail, { errors: [{ pointer, detail }] });
  try {
    const query = parse(text, at);
    const term = notIndexed(query);
    if (term !== undefined) throw badQuery(term);
    return query;
  } catch (error) {
    if (error instanceof BadQuery) throw badQuery(error.message);
    throw error;
  }
}

/** Fields of the language that no answer has yet: a query that asks for one is refused rather than finding nothing. */
const later = /^(custom\..*|meta\..*|kind)$/;

function notIndexed(query: Query): string | undefined {
  if (query.op === 'all') return undefined;
  if (query.op === 'not') return notIndexed(query.of);
  if (query.op !== 'term') return query.of.map(notIndexed).find((one) => one !== undefined);
  return later.test(query.field) ? `column ${query.at}: ${query.field} is not searched in this version; leave the term out` : undefined;
}

type Wanted = Omit<Parameters<typeof search>[1], 'besideOf'>;

/**
 * Searches the parts of the index that the caller may see, each by the map of its zone: no count betrays another. To
 * leave a zone out is not to reach for it.
 */
export async function matching(
  shell: Shell,
  { parts }: Fleet,
  { reached: _reached, ...caller }: AdminCaller,
  wanted: Wanted,
): Promise<Answer> {
  const visible = [...parts].filter(([part]) => (part === partOfNoZone ? isEverywhere(caller) : seesZone(caller, part)));
  const zones = await Promise.all(visible.map(([part]) => (part === partOfNoZone ? undefined : zoneOf(shell, part))));
  const of = new Map<Segment, LoadedZone | undefined>();
  const snapshot = visible.flatMap(([, index], n) => {
    const segments = index.snapshot();
    for (const { segment } of segments) of.set(segment, zones[n]);
    return segments;
  });
  const now = shell.now();
  const seen = asksStatus(wanted) ? await seenIn(shell, of) : new Set<string>();
  return search(snapshot, {
    ...wanted,
    query: among(wanted.query, now),
    besideOf: (segment) => besideOf(segment, { zone: of.get(segment), now, seen }),
  });
}

/** Whether an answer depends on the status of client systems. */
const asksStatus = ({ query, facets = [] }: Wanted): boolean => facets.some(({ field }) => field === 'status') || names(query, 'status');

function names(query: Query, field: string): boolean {
  if (query.op === 'all') return false;
  if (query.op === 'term') return query.field === field;
  return query.op === 'not' ? names(query.of, field) : query.of.some((one) => names(one, field));
}

/**
 * The client systems that the digests of their nodes confirm. Their rows say so only once they call themselves, and
 * their calls and every view go by the digests until then.
 */
async function seenIn(shell: Shell, zones: ReadonlyMap<Segment, LoadedZone | undefined>): Promise<ReadonlySet<string>> {
  const waiting = [...zones].flatMap(([segment, zone]) =>
    zone ? waitingIn(segment, zone).flatMap(({ index, ...one }) => nodeAt(zone, index).map((node) => ({ ...one, node }))) : [],
  );
  return waiting.length === 0 ? new Set() : seenOf(shell, waiting);
}

const nodeAt = ({ members }: LoadedZone, index: number): NodeId[] => {
  const member = members[index];
  return member ? [member.node] : [];
};
