import { type Decision, nothing, write } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Adoption, examplesMax } from './rows/adoption.ts';

/** An administrator's order to adopt the systems of a node. */
export type AdoptionOrder = {
  readonly id: string;
  readonly by: string;
  readonly zone: ZoneName;
  readonly generation: number;
  readonly dryRun?: true | undefined;
  readonly duplicates?: true | undefined;
};

/** What became of the next systems of an adoption, in the order of their minion ids. */
export type Outcomes = readonly {
  readonly minion: string;
  readonly name: string;
  readonly is: 'adopted' | 'known' | 'left';
  readonly because: string;
}[];

/** An order begins anew, whatever became of one before: systems that were adopted then are known. */
export function decideOrder({ id, by, zone, generation, dryRun, duplicates }: AdoptionOrder, now: EpochMs): Decision<Adoption> {
  const next: Adoption = {
    zone,
    order: id,
    by,
    orderedAt: now,
    ...(dryRun && { dryRun }),
    ...(duplicates && { duplicates }),
    generation,
    state: 'ordered',
    at: now,
    ...{ adopted: 0, known: 0, left: 0, examples: [] },
  };
  return write<Adoption, never>(next, `an administrator ordered to ${dryRun ? 'look what can be adopted' : 'adopt its systems'}`);
}

/** The adoption after the next systems were taken; `total` is how many there are. */
export function withOutcomes(adoption: Adoption, outcomes: Outcomes, total: number, now: EpochMs): Adoption {
  const { why: _before, ...known } = adoption;
  const last = outcomes.at(-1);
  const countOf = (what: Outcomes[number]['is']): number => outcomes.filter(({ is }) => is === what).length;
  const left = outcomes.filter(({ is }) => is === 'left').map(({ minion, name, because }) => ({ minion, name, because }));
  return {
    ...known,
    state: 'under-way',
    at: now,
    total,
    ...(last && { after: last.minion }),
    adopted: adoption.adopted + countOf('adopted'),
    known: adoption.known + countOf('known'),
    left: adoption.left + left.length,
    examples: [...adoption.examples, ...left].slice(0, examplesMax),
  };
}

/** Whether its agent is still to work on it. */
export const isOpen = ({ state }: Adoption): boolean => state === 'ordered' || state === 'under-way';

/** The adoption ends: all systems were taken, or the agent cannot go on, and says why. */
export function decideEnd(adoption: Adoption, why: string | undefined, now: EpochMs): Decision<Adoption> {
  if (!isOpen(adoption)) return nothing('it has ended already');
  const { adopted, known, left, dryRun } = adoption;
  const state = why === undefined ? 'done' : 'failed';
  const counts = `${adopted} ${dryRun ? 'can be adopted' : 'adopted'}, ${known} known, ${left} left`;
  return write<Adoption, never>({ ...adoption, state, at: now, ...(why !== undefined && { why }) }, why ?? counts);
}
