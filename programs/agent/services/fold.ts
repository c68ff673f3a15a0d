import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { UnnumberedReport } from '../processes/words.ts';
import { supervising } from '../supervised/supervised.ts';
import { lasting } from '../supervised/thing.ts';
import type { Held, ServicesState } from './state.ts';

type ReportContent = {
  readonly [T in UnnumberedReport['type']]: {
    readonly type: T;
    readonly data: Omit<Extract<UnnumberedReport, { type: T }>['data'], 'service' | 'instance' | 'pid' | 'born'>;
  };
}[UnnumberedReport['type']];

/** The state with one more report about a service, with the instance and the life on record. */
export const withReport = (
  state: ServicesState,
  { service, instance, life }: Pick<Held, 'service' | 'instance' | 'life'>,
  { type, data }: ReportContent,
  at: EpochMs,
): ServicesState => ({
  ...state,
  reports: [...state.reports, { at, type, data: { service, instance, ...life, ...data } } as UnnumberedReport],
});

/** The parts of supervision that services share with processes. */
export const { withHeld, changed, forgotten, driveEach, lookIfDue, takeIn } = supervising<ServiceTypeName, Held, ServicesState>(
  ({ service }) => service,
);

/** The record of a service that does not run: its last instance, and the questions to it. */
export function idle(held: Held, since: EpochMs): Held {
  const { life: _life, inside: _inside, announced: _announced, failed: _failed, ...known } = lasting(held);
  const { killAt: _killAt, checkAt: _checkAt, reported: _reported, ...rest } = known;
  return { ...rest, is: 'idle', since };
}
