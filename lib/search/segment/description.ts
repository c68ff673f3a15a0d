import * as z from 'zod';
import type { Keywords } from './keywords.ts';
import type { Names } from './names.ts';
import type { Numbers } from './numbers.ts';
import { Section, type SectionsReader, type SectionsWriter } from './sections.ts';
import type { Segment } from './segment.ts';
import type { Texts } from './texts.ts';

/** The number of a section. */
const Ref = z.int().min(0);

const TextsRefs = z.object({ bytes: Ref, offsets: Ref });
const NumbersRefs = z.object({ base: z.number(), offsets: Ref, present: Ref.optional() });
const KeywordsRefs = z.object({ values: TextsRefs, size: z.int().min(0), counts: Ref, starts: Ref, words: Ref });
const NamesRefs = z.object({
  ...{ count: z.int().min(0), hosts: Ref, blocks: Ref, domains: TextsRefs, domainOf: Ref, order: Ref },
  owners: Ref.optional(),
});

/** A segment with the numbers of sections in the place of arrays. */
export const SegmentRefs = z.object({
  size: z.int().min(0),
  ids: Ref,
  versions: NumbersRefs,
  names: NamesRefs,
  keywords: z.array(z.tuple([z.string(), KeywordsRefs])),
  numbers: z.array(z.tuple([z.string(), NumbersRefs])),
  removals: z.object({ ids: Ref, versions: Ref }),
});
export type SegmentRefs = z.infer<typeof SegmentRefs>;

/** What stands behind the header: the segment, and where its sections are. */
export const Description = z.object({ segment: SegmentRefs, sections: z.array(Section) });
export type Description = z.infer<typeof Description>;

/** Hands the arrays of a segment to a writer, and gives their numbers. */
export const refsOf = ({ size, ids, versions, names, keywords, numbers, removals }: Segment, to: SectionsWriter): SegmentRefs => ({
  size,
  ids: to.add(ids),
  versions: numbersRefs(versions, to),
  names: namesRefs(names, to),
  keywords: [...keywords].map(([field, column]) => [field, keywordsRefs(column, to)]),
  numbers: [...numbers].map(([field, column]) => [field, numbersRefs(column, to)]),
  removals: { ids: to.add(removals.ids), versions: to.add(removals.versions) },
});

/** The segment whose arrays have these numbers. Throws as the reader does. */
export const segmentOf = ({ size, ids, versions, names, keywords, numbers, removals }: SegmentRefs, from: SectionsReader): Segment => ({
  size,
  ids: from.u8(ids),
  versions: numbersOf(versions, from),
  names: namesOf(names, from),
  keywords: new Map(keywords.map(([field, refs]) => [field, keywordsOf(refs, from)])),
  numbers: new Map(numbers.map(([field, refs]) => [field, numbersOf(refs, from)])),
  removals: { ids: from.u8(removals.ids), versions: from.f64(removals.versions) },
});

const textsRefs = ({ bytes, offsets }: Texts, to: SectionsWriter) => ({ bytes: to.add(bytes), offsets: to.add(offsets) });
const textsOf = ({ bytes, offsets }: z.infer<typeof TextsRefs>, from: SectionsReader): Texts => ({
  bytes: from.u8(bytes),
  offsets: from.u32(offsets),
});

const numbersRefs = ({ base, offsets, present }: Numbers, to: SectionsWriter) => ({
  base,
  offsets: to.add(offsets),
  ...(present && { present: to.add(present) }),
});
const numbersOf = ({ base, offsets, present }: z.infer<typeof NumbersRefs>, from: SectionsReader): Numbers => ({
  base,
  offsets: from.any(offsets),
  present: present === undefined ? undefined : from.u32(present),
});

const keywordsRefs = ({ values, postings: { size, counts, starts, words } }: Keywords, to: SectionsWriter) => ({
  ...{ values: textsRefs(values, to), size, counts: to.add(counts), starts: to.add(starts), words: to.add(words) },
});
const keywordsOf = ({ values, size, counts, starts, words }: z.infer<typeof KeywordsRefs>, from: SectionsReader): Keywords => ({
  values: textsOf(values, from),
  postings: { size, counts: from.u32(counts), starts: from.u32(starts), words: from.u32(words) },
});

const namesRefs = ({ count, hosts, blocks, domains, domainOf, order, owners }: Names, to: SectionsWriter) => ({
  ...{ count, hosts: to.add(hosts), blocks: to.add(blocks), domains: textsRefs(domains, to) },
  ...{ domainOf: to.add(domainOf), order: to.add(order), ...(owners && { owners: to.add(owners) }) },
});
const namesOf = ({ count, hosts, blocks, domains, domainOf, order, owners }: z.infer<typeof NamesRefs>, from: SectionsReader): Names => ({
  ...{ count, hosts: from.u8(hosts), blocks: from.u32(blocks), domains: textsOf(domains, from) },
  ...{ domainOf: from.whole(domainOf), order: from.u32(order), owners: owners === undefined ? undefined : from.u32(owners) },
});
