import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { interval } from '../../output/moments.ts';

/** The settings of a zone in words. */
export const settings = (view: ZoneView): string =>
  `${lost(view)}, ${view.readmit === 'auto' ? 'a node that was given up comes back by itself' : 'an administrator readmits a node that was given up'}${view.unsignedClients ? ', clients that never sign are let in' : ', only clients that sign are let in'}${view.rtoMs === undefined ? '' : `, recovery may take ${interval(view.rtoMs)}`}${admits(view)}`;

/** How its nodes admit, where their rates adapt. */
function admits({ admission, admitAtMostEveryMs, readyWithinMs }: ZoneView): string {
  if (admission === undefined || admitAtMostEveryMs === undefined || readyWithinMs === undefined) return '';
  const when = admission === 'adapts-at-once' ? '' : ', once measured for an hour';
  return `, nodes admit as fast as they bear${when}: at most one per ${interval(admitAtMostEveryMs)}, with first jobs within ${interval(readyWithinMs)}`;
}

function lost({ remapAfterMs }: ZoneView): string {
  if (remapAfterMs === undefined) return 'slots of a lost node wait for it';
  return `slots of a lost node move ${remapAfterMs === 0 ? 'at once' : `after ${interval(remapAfterMs)}`}`;
}
