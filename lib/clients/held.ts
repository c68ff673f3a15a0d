import type { Fqdn } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import { standingAt } from '../zones/map/rows/roster.ts';
import { standingOf, standings, standingText, viewedStanding } from '../zones/map/rows/standing.ts';
import { pinnedNow } from '../zones/pins/pins.ts';
import { isRetained } from '../zones/rows/kept.ts';
import { type LoadedZone, servesAt } from '../zones/rows/loaded.ts';
import type { Client } from './client.ts';
import { type Asked, isHeld, ownerOf, placedOf, turnOfClient } from './rows/status.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** Why a client system stays on its node although that is away, in words for people; undefined if it is not held. */
export function heldBecause(zone: LoadedZone, client: Client, asked: Asked): string | undefined {
  const { told, ...placed } = placedOf(client);
  if (!told?.confirmed) return undefined;
  const name = zone.members[told.index]?.fqdn;
  const standing = standingAt(zone.head.roster, told.index);
  if (isHeld(zone, { ...placed, told }, asked)) {
    const kept = isRetained(zone.head, told.index, asked.now) && zone.head.kept!.find(({ index }) => index === told.index);
    if (kept)
      return `${name} has been down since ${iso(kept.since)}; its client systems are retained for it until ${kept.until === undefined ? 'it is back' : iso(kept.until)}`;
    const { rule, until } = zone.head.brakes.disrupted!;
    const ends = rule === 6 ? `until ${iso(until)} at the latest` : 'until most of its nodes send heartbeats';
    return `its home ${name} is ${standingText(standingOf(standing))}, and the zone is disrupted (rule ${rule}): a client system that does not report its node lost stays on it, ${ends} (rule 9)`;
  }
  const isUpgraded = standing === standings.held && servesAt(zone, told.index, told.generation);
  return isUpgraded ? `${name} is away on purpose, and its client systems are retained for it` : undefined;
}

/** Why a client system is not assigned its next node yet, in words for people; undefined when it need not wait. */
export function waitsBecause(
  zone: LoadedZone,
  client: Client,
  asked: Asked,
): { readonly at: EpochMs; readonly because: string } | undefined {
  const at = turnOfClient(zone, client, asked);
  if (at === undefined) return undefined;
  const member = zone.members[ownerOf(zone, placedOf(client))];
  const rate = member?.admitEveryMs === undefined ? '' : `, which admits one per ${member.admitEveryMs / 1000} s,`;
  return { at, because: `its turn at ${member?.fqdn ?? 'its node'}${rate} is ${iso(at)}` };
}

/**
 * The node that a client system is pinned to, the standing of that node, and whether the client system waits for it;
 * undefined if it is not pinned.
 */
export function pinOf(
  { pins, members, head }: LoadedZone,
  client: Client,
): { readonly fqdn?: Fqdn; readonly hard: boolean; readonly standing: string } | undefined {
  const pin = client.standing === 'accepted' ? client.pin : undefined;
  if (!pin) return undefined;
  const index = pinnedNow(pins, pin.index);
  const fqdn = members[index]?.fqdn;
  return { ...(fqdn && { fqdn }), hard: pin.hard, standing: viewedStanding(standingOf(standingAt(head.roster, index))) };
}
