import type { EpochMs } from '../units.ts';
import { type LoadedZone, servesAt } from '../zones/loaded.ts';
import { standingAt } from '../zones/roster.ts';
import { standings } from '../zones/standing.ts';
import type { Client } from './client.ts';
import { type Asked, isHeld, ownerOf, placedOf, turnOfClient } from './status.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** Why a client system stays where it is although its node is away, in words for people; undefined for one of which that is not so. */
export function heldBecause(zone: LoadedZone, client: Client, asked: Asked): string | undefined {
  const { told, ...placed } = placedOf(client);
  if (!told?.confirmed) return undefined;
  const name = zone.members[told.index]?.fqdn;
  if (isHeld(zone, { ...placed, told }, asked)) {
    const { since, until } = zone.head.kept!.find(({ index }) => index === told.index)!;
    return `${name} is down since ${iso(since)}; its client systems are kept for it until ${until === undefined ? 'it is back' : iso(until)}`;
  }
  const isUpgraded = standingAt(zone.head.roster, told.index) === standings.held && servesAt(zone, told.index, told.generation);
  return isUpgraded ? `${name} is away on purpose, and its client systems are kept for it` : undefined;
}

/** Why a client system is not told its next node yet, in words for people; undefined when it need not wait. */
export function waitsBecause(
  zone: LoadedZone,
  client: Client,
  asked: Asked,
): { readonly at: EpochMs; readonly because: string } | undefined {
  const at = turnOfClient(zone, client, asked);
  if (at === undefined) return undefined;
  const member = zone.members[ownerOf(zone, client.fp, placedOf(client).pin)];
  const rate = member?.admitEveryMs === undefined ? '' : `, which admits one per ${member.admitEveryMs / 1000} s`;
  return { at, because: `its turn at ${member?.fqdn ?? 'its node'}${rate}, is ${iso(at)}` };
}
