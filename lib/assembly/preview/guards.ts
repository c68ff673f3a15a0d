import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import { heldByStations } from '../../stations/rows/quorum.ts';
import type { Stations } from '../../stations/stations.ts';
import { describeCrowded } from '../../zones/capacity/crowding.ts';
import { activeRules } from '../../zones/guardrails/view.ts';
import type { ZoneHead } from '../../zones/zone.ts';
import type { Guard } from './routes.ts';

/** A rule that is in force in a zone, with the command that ends it. */
export const overrules = (zone: string, { rule, because }: { readonly rule: number; readonly because: string }): Guard => ({
  rule,
  because,
  overruledBy:
    rule === 15
      ? 'another node, or muster node set --capacity'
      : rule === 16
        ? `muster zone unfreeze ${zone}`
        : rule === 17
          ? 'muster node drop'
          : `muster zone calm ${zone}`,
});

/** The rules that hold slots or nodes of a zone at this moment; `suspects` are nodes that the stations may hold. */
export function guardsNow(
  head: ZoneHead,
  { suspects, stations }: { readonly suspects: readonly Node[]; readonly stations: Stations | undefined },
  now: EpochMs,
): Guard[] {
  const held = stations ? suspects.flatMap((node) => heldByStations(stations, node, now) ?? []) : [];
  return [
    ...activeRules(head.brakes),
    ...(head.crowded ? [{ rule: 15, because: describeCrowded(head.crowded) }] : []),
    ...held.map((because) => ({ rule: 17, because })),
  ].map((one) => overrules(head.name, one));
}

/** Guards without those that are there already; of one that was in force for a while, as it was first. */
export function withGuards(known: readonly Guard[], more: readonly Guard[]): readonly Guard[] {
  const isKnown = ({ rule, because }: Guard): boolean => known.some((one) => one.rule === rule && (rule !== 8 || one.because === because));
  return [...known, ...more.filter((one) => !isKnown(one))];
}
