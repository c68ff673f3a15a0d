import { Refused, Waiting } from '../kit/kit.tsx';
import { Past } from './past.tsx';
import { Preview } from './preview.tsx';
import type { Read } from './use-preview.ts';

type Props = { readonly of: Read; readonly about: readonly string[] };

/**
 * What would happen, before it is ordered. What stands there does not change under its reader: when something else would
 * happen by now, a line says so, and shows that when the reader asks. `about`: the nodes that it is about, by id.
 */
export const WouldBe = ({ of: { outcome, error, isAsked, isPast, showNow }, about }: Props) => (
  <>
    <Refused error={error} />
    {isAsked && !outcome && !error && <Waiting what="Asking the planner" />}
    {isPast && <Past onShow={showNow} />}
    {outcome && <Preview of={outcome} about={about} />}
  </>
);
