import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import type { Invariant } from '../invariant.ts';
import { ownersMoved, standingIn, type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** After a disaster everybody has one place to go back to: whoever else is moved has to be found again. */
export const recovery: Invariant = {
  name: 'recovery-mode-keeps-homes',
  says: 'while a zone is in recovery mode no slot moves but from a node that is gone or drains, or to its home, and to no other from one whose clients wait for it; a home stays until its node is given up; a node that is up again has what is at home there, unless budget or room is lacking or moves are frozen',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        const wrong = step && isRecovering(step) ? (wrongMove(step) ?? wrongHome(step) ?? wrongReturn(step)) : undefined;
        if (wrong) violated(`${step!.name} at version ${step!.after.head.version}: ${wrong}`);
      },
    };
  },
};

/** It was in recovery mode before and is: a plan goes by what was set before it. */
const isRecovering = ({ before, after }: ZoneStep): boolean => before?.head.mode === 'recovery' && after.head.mode === 'recovery';

const gives = new Set(['none', 'down', 'dropped', 'draining']);

function wrongMove(step: ZoneStep): string | undefined {
  const { before, after } = step;
  const waits = new Set(before!.head.meanwhile === 'hold' ? before!.head.kept?.map(({ index }) => index) : []);
  for (const { slot, from, to } of ownersMoved(step)) {
    const [was, is] = [standingIn(after, from), standingIn(after, to)];
    const way = `slot ${slot} went from ${from} (${was}) to ${to} (${is})`;
    // Whose home is back waits for nobody: where they were was in its place.
    if (before!.map.home[slot] === to) continue;
    if (waits.has(from) && was === 'down') return `${way}, and its clients were to wait`;
    if (from !== nobody && !gives.has(was)) return `${way}, which is not its home`;
  }
  return undefined;
}

/** What was at home with a node that may come back is at home there still. */
function wrongHome({ before, after }: ZoneStep): string | undefined {
  for (const [slot, home] of before!.map.home.entries()) {
    if (home === nobody || home === after.map.home[slot] || ['none', 'dropped'].includes(standingIn(after, home))) continue;
    return `slot ${slot} is at home with ${after.map.home[slot]} and was with ${home} (${standingIn(after, home)})`;
  }
  return undefined;
}

function wrongReturn({ before, after }: ZoneStep): string | undefined {
  const { freeze } = before!.head.brakes;
  if (freeze === 'moves' || freeze === 'all') return undefined;
  const isBack = (index: number): boolean => standingIn(after, index) === 'up' && standingIn(before!, index) === 'down';
  const waits = (index: number): boolean => after.head.settling.includes(index) || after.members[index]?.capacity !== undefined;
  const missing = [...after.map.home].findIndex((home, slot) => home !== after.map.owner[slot] && isBack(home) && !waits(home));
  return missing < 0 ? undefined : `slot ${missing} is not with ${after.map.home[missing]}, which is back`;
}
