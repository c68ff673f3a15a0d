import { fidOf } from '../../../../lib/core/fid.ts';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import type { LevelProcess } from '../../../../lib/mero/levels/levels.ts';
import { processFid, processTypes } from '../../../support/mero.ts';

const serviceTypes = {
  halon: ['CST_HA', 'CST_RMS'],
  confd: ['CST_CONFD', 'CST_RMS'],
  ios: ['CST_IOS'],
  cas: ['CST_IOS', 'CST_CAS'],
  m0t1fs: ['CST_RMS'],
  s3server: ['CST_RMS'],
  app: ['CST_RMS'],
} as const;
export type Kind = keyof typeof serviceTypes;

/** The fid of the resource manager of the n-th process. */
export const rmsOf = (n: number) => fidOf('service', 10 * n + 1);

/** The n-th process of a cluster as levels see it: one of this kind on a host of its own, in this state. */
export const seen = (n: number, kind: Kind, state: LevelProcess['state'], given: Partial<LevelProcess> = {}): LevelProcess => ({
  fid: processFid(n),
  host: `host${n}.acme.org` as Fqdn,
  type: processTypes[kind === 'cas' ? 'ios' : kind],
  services: serviceTypes[kind].map((type, at) => ({ fid: fidOf('service', 10 * n + at), type })),
  state,
  isAway: state === 'inhibited',
  isUnwanted: false,
  ...given,
});

/** Processes of these kinds, each with the state that stands beside it, such as `confd online`; `app` nobody drives. */
export const cluster = (...said: readonly `${Kind} ${LevelProcess['state']}`[]): LevelProcess[] =>
  said.map((one, n) => {
    const [kind, state] = one.split(' ') as [Kind, LevelProcess['state']];
    return seen(n + 1, kind, state);
  });
