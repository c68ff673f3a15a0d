import type { ResourceSaid, Service } from './service.ts';

type Heard = NonNullable<Service['heard']>;
type Word = Pick<Heard, 'node' | 'incarnation' | 'seq'>;
type Resource = Pick<ResourceSaid, 'kind' | 'id'>;

/**
 * Of how many resources a row keeps the number of the last word at the most; of the others it knows that there were
 * words up to a number.
 */
export const saidMax = 64;

/** What a row keeps of whose word it heard last: of words of one boot the newest, whichever comes first. */
export function heardAfter(heard: Heard | undefined, { node, incarnation, seq }: Word): Heard {
  if (heard?.node !== node || heard.incarnation !== incarnation) return { node, incarnation, seq, said: [] };
  return { ...heard, seq: Math.max(heard.seq, seq) };
}

/** The same, once a word was about a resource. */
export function heardOf(before: Heard | undefined, word: Word, { kind, id }: Resource): Heard {
  const heard = heardAfter(before, word);
  if (!heard.said) return heard;
  const all = [...heard.said.filter((one) => one.kind !== kind || one.id !== id), { kind, id, seq: word.seq }];
  const said = all.toSorted((a, b) => b.seq - a.seq);
  const forgotten = said[saidMax];
  return { ...heard, said: said.slice(0, saidMax), ...(forgotten && { saidTo: Math.max(heard.saidTo ?? 0, forgotten.seq) }) };
}

/** The same, once a word was about its configuration. */
export const heardConfigured = (before: Heard | undefined, word: Word): Heard => ({ ...heardAfter(before, word), configured: word.seq });

/** The number of the last word of the boot about the configuration, or of one about an earlier life. */
export const lastConfigured = ({ said, seq, saidTo = 0, configured = 0 }: Heard): number => (said ? Math.max(saidTo, configured) : seq);

/** A word of an agent; what comes by the bus has no number. */
type AnyWord = Pick<Word, 'node'> & { readonly [K in 'incarnation' | 'seq']?: Word[K] | undefined };

/**
 * A service once a life of its instance is known to begin, or to have ended, by this word: what it was said to hold or
 * to run with before, an earlier life did, and words of that come in vain. The same one where that changes nothing, and
 * where the row does not say of each resource when it was spoken of: an older version of Muster has written it.
 */
export function atBorder(service: Service, { node, incarnation, seq }: AnyWord): Service {
  const { heard } = service;
  if (incarnation === undefined || seq === undefined) return service;
  const isOfBoot = heard?.node === node && heard.incarnation === incarnation;
  if (isOfBoot ? !heard.said || seq <= (heard.saidTo ?? -1) : (heard?.incarnation ?? 0) > incarnation) return service;
  const known: Heard = isOfBoot ? heard : { node, incarnation, seq: 0 };
  const said = (known.said ?? []).filter((one) => one.seq > seq);
  const resources = service.resources.filter(({ kind, id }) => said.some((one) => one.kind === kind && one.id === id));
  const { drift, ...rest } = service;
  const isSince = drift && (known.configured ?? 0) > seq;
  return { ...rest, ...(isSince && { drift }), resources, heard: { ...known, said, saidTo: seq } };
}

/**
 * What is held although this is the end of what held it, {@link atBorder} of which it was looked at: words of the next
 * life have overtaken that.
 */
export const heldSince = ({ resources, heard }: Service, { node, incarnation, seq }: AnyWord): Service['resources'] =>
  heard?.said && heard.node === node && heard.incarnation === incarnation && seq !== undefined && seq <= (heard.saidTo ?? -1)
    ? resources
    : [];

/**
 * The number of the last word of the boot about a resource: each is held and let go for itself, whatever else was said
 * since. Of a row that an older version of Muster has written it is that of any word.
 */
export function lastWordOf({ said, seq, saidTo = 0 }: Heard, { kind, id }: Resource): number {
  if (!said) return seq;
  return said.find((one) => one.kind === kind && one.id === id)?.seq ?? saidTo;
}
