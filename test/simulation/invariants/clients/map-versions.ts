import type { Token } from '../../../../lib/identity/token.ts';
import { generationAt, standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import { serves } from '../../../../lib/zones/map/rows/standing.ts';
import type { Answered } from '../../watching.ts';
import { byteOf, clientCall, signedToken } from '../client-calls.ts';
import { ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';
import type { ZoneState } from '../zones/zone-truth.ts';

/** Whoever was sent somewhere by one map, and back by the one before, is moved twice for nothing. */
export const mapVersions: Invariant = {
  name: 'no-answer-rests-on-an-older-map',
  says: 'a status call with a token is answered, and given another, by a map that is no older than the one that the token rests on',
  begin: ({ violated, world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    /** The states of its zone by which a call may have been answered that came with this token. */
    const statesFor = ({ askedAt, at }: Answered, fp: string, token: Token): readonly ZoneState[] => {
      const zone = clients.of(fp)?.row.zone;
      const states = zone === undefined ? [] : zones.between(zone, askedAt - world().cluster.zoneMaxAgeMs - skewMs, at);
      return states.filter(({ head }) => head.number === token.zone && head.version >= token.mapVersion);
    };
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
      },
      answered: (call) => {
        const about = clientCall(call);
        if (!about || about.name === 'knock' || call.token === undefined) return;
        const { all } = world().cluster.vault;
        const token = signedToken(call.token, all);
        if (!token || !about.fp.startsWith(token.fp)) return;
        const given = signedToken(call.headers['muster-token'], all);
        const isOlder = given && given.zone === token.zone && given.mapVersion < token.mapVersion;
        const wrong = isOlder
          ? `and given a token of version ${given.mapVersion}`
          : wronglyTold(call, token, () => statesFor(call, about.fp, token));
        if (wrong) violated(`${about.fp.slice(0, 8)} came to ${call.by} with a token of map version ${token.mapVersion}, ${wrong}`);
      },
    };
  },
};

/** What is wrong with the byte that was computed from a token alone, by every state that it may rest on. */
function wronglyTold(call: Answered, token: Token, statesOf: () => readonly ZoneState[]): string | undefined {
  const byte = byteOf(call);
  const isByToken = token.confirmed && call.headers['muster-token'] === undefined && call.headers['muster-knock'] === undefined;
  if (!isByToken || (byte !== '1' && byte !== '2')) return undefined;
  const states = statesOf();
  const isThere = ({ head: { roster } }: ZoneState): boolean => generationAt(roster, token.index) === token.generation;
  const isAtHome = (zone: ZoneState): boolean =>
    isThere(zone) && serves(standingAt(zone.head.roster, token.index)) && ownerOf(zone, token) === token.index;
  const isWrong = states.length > 0 && states.every((zone) => (byte === '1' ? !isThere(zone) : isAtHome(zone)));
  return isWrong ? `and was told ${byte}, as no map has it since` : undefined;
}

const ownerOf = (zone: ZoneState, { fp, pin, soft }: Token): number =>
  ownerIn(zone, fp, pin === nobody ? undefined : { index: pin, hard: !soft });
