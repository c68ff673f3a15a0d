import type { Concluded } from '../../core/decision.ts';
import type { Move } from '../map/board.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import type { Retention } from '../rows/kept.ts';
import type { ZoneHead } from '../zone.ts';
import type { Recoveries } from './recovery.ts';
import { rosterAfter } from './replace.ts';

/** The head of a zone once a plan is carried out. */
export function headAfter(
  head: ZoneHead,
  round: readonly StandingDecision[],
  after: {
    version: number;
    moved: boolean;
    members: boolean;
    turned: boolean;
    settling: number[];
    brakes: ZoneHead['brakes'];
    budgets: ZoneHead['budgets'];
    retained: readonly Retention[];
    crowded: ZoneHead['crowded'];
    recovery: Recoveries;
  },
): ZoneHead {
  const { version, moved, members, turned, settling, brakes, budgets, retained, crowded, recovery } = after;
  const { kept: _before, crowded: _was, recovering: _losses, recovered: _over, ...rest } = head;
  const roster = rosterAfter(head.roster, round);
  return {
    ...rest,
    version,
    roster,
    settling,
    brakes,
    budgets,
    ...(retained.length > 0 && { kept: [...retained] }),
    ...(crowded && { crowded }),
    ...(recovery.recovering.length > 0 && { recovering: [...recovery.recovering] }),
    ...(recovery.recovered.length > 0 && { recovered: [...recovery.recovered] }),
    ...(moved && { mapVersion: version }),
    ...(members && { membersVersion: version }),
    ...(turned && { turnsVersion: version }),
  };
}

/** The events of a plan about lost nodes and moved slots. */
export function headEvents(
  { zone, counts }: ZoneSnapshot,
  round: readonly StandingDecision[],
  moves: readonly Move[],
  version: number,
  because: readonly string[],
): Concluded[] {
  const name = zone.head.name;
  const lost = round.filter((one) => one.standing === 'down' && one.before !== 'down');
  const losses = lost.map(({ index, read }): Concluded => {
    let slots = 0;
    let about = 0;
    const { owner } = zone.map;
    for (let slot = 0; slot < owner.length; slot++) {
      if (owner[slot] !== index) continue;
      slots++;
      about += counts[slot] ?? 0;
    }
    return {
      type: 'zone.node-lost',
      version: 1,
      data: { zone: name, node: read.body.id, slots, about: Math.round(about), mapVersion: version },
    };
  });
  const moved = moves.filter((move) => move.from !== move.owner).length;
  if (moved === 0) return losses;
  return [
    ...losses,
    { type: 'zone.rebalanced', version: 1, data: { zone: name, slots: moved, mapVersion: version, reasons: because.slice(0, 20) } },
  ];
}
