import type { Reply, Sent } from '../../api/call.ts';
import type { Waiting } from './groups.ts';

/** A call that accepts some. */
export type Batch = NonNullable<Sent<'accept'>['body']>;
type Result = Reply<'accept'>['results'][number];

/** What an operator asks for. `zone`: where they are accepted; undefined for the zone that each asks for. */
export type Wish = {
  readonly systems: readonly Pick<Waiting, 'fp' | 'fqdn' | 'zone' | 'suggestedTags'>[];
  readonly zone: string | undefined;
  readonly tags: readonly string[];
  readonly groups: readonly string[];
  /** Each has the tags that it suggests, too. */
  readonly ownTags: boolean;
  /** Its machine id came with another key before, and somebody has looked at it. */
  readonly duplicates?: true;
};

/** A call takes so many at most. */
export const batchMax = 200;
/** A machine has so many tags at most. */
const tagsMax = 64;

/**
 * The calls that carry out a wish: one zone and one list of tags each, {@link batchMax} at most. `earlier` counts what
 * goes into the same zone before, so that nodes are not overrun.
 */
export function batchesOf({ systems, zone, tags, groups, ownTags, duplicates }: Wish): Batch[] {
  const tagsOf = (own: readonly string[]): string[] => [...new Set([...tags, ...(ownTags ? own.toSorted() : [])])].slice(0, tagsMax);
  const sorts = Map.groupBy(systems, (one) => JSON.stringify([zone ?? one.zone ?? '', tagsOf(one.suggestedTags)]));
  const earlier = new Map<string, number>();
  return [...sorts].flatMap(([key, some]) => {
    const [into, given] = JSON.parse(key) as [string, string[]];
    return chunks(some, batchMax).map((part): Batch => {
      const before = earlier.get(into) ?? 0;
      earlier.set(into, before + part.length);
      const fps = part.map(({ fp }) => fp);
      return {
        systems: fps,
        ...(zone !== undefined && { zone }),
        tags: given,
        groups: [...groups],
        earlier: before,
        ...(duplicates && { duplicates }),
      };
    });
  });
}

/** A list in parts of at most so many. */
export const chunks = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, n) => all.slice(n * most, (n + 1) * most));

/** Why a machine was not accepted, in the server's words; `is` says what an operator can do about it. */
export type NotAccepted = { readonly is: 'full' | 'duplicate' | 'busy' | 'refused'; readonly because: string };

/** What became of those of a call: accepted, to be tried again, or not accepted. */
export type Outcome = {
  readonly accepted: readonly string[];
  readonly busy: readonly string[];
  readonly not: readonly (readonly [string, NotAccepted])[];
};

/** Reads the results of a call. */
export const outcomeOf = (results: readonly Result[]): Outcome => ({
  accepted: results.filter(({ done }) => done).map(({ fp }) => fp),
  busy: results.filter(({ done, busy }) => !done && busy).map(({ fp }) => fp),
  not: results.filter(({ done, busy }) => !done && !busy).map((result) => [result.fp, { is: kindOf(result), because: result.because }]),
});

const kindOf = ({ full, duplicate }: Result): NotAccepted['is'] => {
  if (full) return 'full';
  return duplicate ? 'duplicate' : 'refused';
};
