import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { ServiceSaid } from '../processes/words.ts';
import { supervising } from '../supervised/supervised.ts';
import { lasting } from '../supervised/thing.ts';
import type { Held, ServicesState } from './state.ts';

type Said = {
  readonly [T in ServiceSaid['type']]: {
    readonly type: T;
    readonly data: Omit<Extract<ServiceSaid, { type: T }>['data'], 'service' | 'instance' | 'pid' | 'born'>;
  };
}[ServiceSaid['type']];

/** The state with one more report about a service, with the instance and the life on record. */
export const withWord = (
  state: ServicesState,
  { service, instance, life }: Pick<Held, 'service' | 'instance' | 'life'>,
  { type, data }: Said,
  at: EpochMs,
): ServicesState => ({ ...state, said: [...state.said, { at, type, data: { service, instance, ...life, ...data } } as ServiceSaid] });

/** The parts of supervision that services share with processes. */
export const { withHeld, changed, forgotten, driveEach, lookIfDue, takeIn } = supervising<ServiceTypeName, Held, ServicesState>(
  ({ service }) => service,
);

/** The record of a service that does not run: its last instance, and the questions to it. */
export function idle(held: Held, since: EpochMs): Held {
  const { life: _life, inside: _inside, announced: _announced, failed: _failed, ...known } = lasting(held);
  const { killAt: _killAt, checkAt: _checkAt, told: _told, ...rest } = known;
  return { ...rest, is: 'idle', since };
}
