import type { EpochMs } from '../../../lib/core/time.ts';
import type { ServiceSaid } from '../processes/words.ts';
import type { Held, ServicesState } from './state.ts';

type Said = {
  readonly [T in ServiceSaid['type']]: {
    readonly type: T;
    readonly data: Omit<Extract<ServiceSaid, { type: T }>['data'], 'service' | 'instance' | 'pid' | 'born'>;
  };
}[ServiceSaid['type']];

/** The state with one more word about a service, of the instance and the life on record. */
export const withWord = (
  state: ServicesState,
  { service, instance, life }: Pick<Held, 'service' | 'instance' | 'life'>,
  { type, data }: Said,
  at: EpochMs,
): ServicesState => ({ ...state, said: [...state.said, { at, type, data: { service, instance, ...life, ...data } } as ServiceSaid] });

/** The state with this in the place of what was known of the service. */
export const withHeld = (state: ServicesState, held: Held): ServicesState => ({
  ...state,
  held: new Map(state.held).set(held.service, held),
});

/** What is left of a service that does not run: which instance that was, and what is asked of it. */
export function idle(held: Held, since: EpochMs): Held {
  const { life: _life, inside: _inside, announced: _announced, failed: _failed, ...known } = held;
  const {
    busy: _busy,
    notBefore: _notBefore,
    killAt: _killAt,
    killed: _killed,
    seenAt: _seenAt,
    checkAt: _at,
    told: _told,
    fell: _fell,
    again: _again,
    ...rest
  } = known;
  return { ...rest, is: 'idle', since };
}
