import { minuteMs, secondMs } from '../../core/time.ts';
import type { Admission } from '../../zones/rows/admission.ts';
import type { BearingRow } from './bearing.ts';

/** A time in words, to a tenth of a second below ten. */
export const seconds = (ms: number): string => `${ms < 10 * secondMs ? Math.round(ms / 100) / 10 : Math.round(ms / secondMs)} s`;

/** The time in which nine of ten had their first job, by the last report or as usual, in words. */
export function readyText({ p90Ms, usual }: Pick<BearingRow, 'p90Ms' | 'usual'>): string {
  const ms = p90Ms ?? usual?.p90Ms;
  return ms === undefined ? 'an unknown time' : seconds(ms);
}

/** The reason of a rate that stays as it is. */
export const bears = (row: BearingRow, { atMostEveryMs }: Admission): string =>
  `it bears ${row.everyMs === atMostEveryMs ? 'the ceiling of its zone' : 'that'}: first jobs take ${readyText(row)}`;

/** The reason of a rate that was raised. */
export const raisedText = (row: BearingRow): string => `raised from one per ${seconds(row.everyMs)}: first jobs take ${readyText(row)}`;

/** The reason of the usual rate of a node that is measured first. */
export function measuringText({ measuredMs }: BearingRow, { from }: Admission): string {
  const until =
    from === 'at-once' ? 'the first client systems have had a job' : `an hour is measured, ${Math.floor(measuredMs / minuteMs)} min so far`;
  return `it goes by the usual rate until ${until}`;
}

/** The reason of a rate that is low until those that wait have had their first job. */
export const drainingText = ({ waiting }: BearingRow): string =>
  waiting === 0 ? 'it was strained a moment ago' : `${waiting} client systems wait for their first job`;
