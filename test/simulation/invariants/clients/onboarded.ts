import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import type { Answered, Asked } from '../../watching.ts';
import type { World } from '../../world/world.ts';
import { byteOf, clientCall } from '../client-calls.ts';
import { type ClientPast, ClientTruth, pinsSince, type Stay } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps, skewMs } from '../rows.ts';
import { turnWith } from '../turns.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';
import { standingIn, type ZoneState } from '../zones/zone-truth.ts';
import { isDamped } from './damped.ts';

const serving = new Set(['up', 'suspect', 'draining', 'held', 'quarantined']);

/**
 * How long a knock with a confirmation may be on its way, in ms: a caller waits half a minute, an environment may stand
 * still.
 */
const onItsWayMs = 60_000;
/** How long a digest may be: it is made, sent and received at once, by two clocks. */
const digestMs = skewMs + 200;

/** Whoever reads Onboarded believes that the machine is at work on its node. */
export const onboarded: Invariant = {
  name: 'onboarded-is-confirmed',
  says: 'Onboarded is a client that was at the node it was told since it was told, while that node owns its slot and serves, until its turn elsewhere, or as long as it is kept for it or its zone is disrupted; it is confirmed by the daemon that drives it there, or because the node sees it',
  begin: ({ violated, world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    const confirmed = new Map<string, number>();
    const confirms = ({ at, path, sent }: Asked): void => {
      if (path !== '/system/knock') return;
      const { confirmed: fqdn } = sent as { confirmed?: string };
      if (fqdn === undefined) return;
      const { fp } = clientCall({ path, query: '', sent })!;
      confirmed.set(`${fp} ${fqdn}`, at);
      if (!world().presence.nodesOf(fp).includes(fqdn)) violated(`${fp.slice(0, 8)} confirms ${fqdn}, where it is not driven to`);
    };
    const names = new Map<string, string>();
    // By the node that it was told: another may have taken that one's place since.
    const fqdnOf = ({ told }: Stay): string => names.get(told.node) ?? 'nowhere';
    const isTrue = (client: ClientPast, call: Answered): boolean => {
      if (client.row.standing === 'pooled') return false;
      const from = call.askedAt - world().cluster.zoneMaxAgeMs;
      const states = zones.between(client.row.zone ?? '', from, call.at);
      return client.stays.some(
        (stay) =>
          stay.from <= call.at &&
          (stay.revokedAt ?? Number.POSITIVE_INFINITY) >= from - skewMs &&
          states.some((zone) => {
            const owner = stay.told.index;
            const isOwner = pinsSince(client, from - skewMs).some((pin) => ownerIn(zone, client.fp, pin) === owner);
            const isThere = isOwner && generationAt(zone.head.roster, owner) === stay.told.generation;
            return (isThere && serving.has(standingIn(zone, owner))) || staysMeanwhile(zone, client, stay, from);
          }) &&
          world().presence.wasOn(client.fp, fqdnOf(stay), stay.from - onItsWayMs),
      );
    };
    return {
      asked: confirms,
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
        for (const { id, after } of nodeSteps(changes)) if (after) names.set(id, after.fqdn);
        for (const { at, after } of changes) {
          if (after.key.sk !== 'client') continue;
          const client = clients.all.get(after.key.pk.slice('client#'.length));
          const stay = client?.stays.at(-1);
          if (!client || stay?.confirmedAt !== at) continue;
          const fqdn = fqdnOf(stay);
          const said = (confirmed.get(`${client.fp} ${fqdn}`) ?? Number.NEGATIVE_INFINITY) >= stay.from - onItsWayMs;
          if (!said && !world().presence.wasOn(client.fp, fqdn, stay.told.at - digestMs))
            violated(`${client.fp.slice(0, 8)} is confirmed on ${fqdn} by ${after.by}, and was not there since it was told`);
        }
      },
      answered: (call) => {
        for (const fp of onboardedBy(call)) {
          const client = clients.of(fp);
          // A machine that has introduced itself meanwhile may be shown as it was under its minion's key.
          const past = clients.isNewer(fp, call.askedAt) ? clients.all.get(fp) : undefined;
          if ([client, past].some((one) => one && isTrue(one, call))) continue;
          violated(`${call.by} called ${fp.slice(0, 8)} onboarded, ${told(client, zones, world())}`);
        }
      },
    };
  },
};

/**
 * Its node is down and it is kept for it, or its slot has moved from a node that serves, and its turn has not come; or
 * its zone is disrupted, and that is its home.
 */
function staysMeanwhile(zone: ZoneState, client: ClientPast, stay: Stay, from: number): boolean {
  const { told } = stay;
  if (generationAt(zone.head.roster, told.index) !== told.generation) return false;
  if (isDamped(zone, client.fp, stay, pinsSince(client, from - skewMs))) return true;
  const kept = zone.head.kept?.find(({ index }) => index === told.index);
  if (standingIn(zone, told.index) === 'down') return kept !== undefined && (kept.until ?? Number.POSITIVE_INFINITY) > from - skewMs;
  return (
    serving.has(standingIn(zone, told.index)) &&
    pinsSince(client, from - skewMs).some((pin) => turnWith(zone, client.fp, { pin, on: told.index }) > from - skewMs)
  );
}

/** Whom an answer calls Onboarded: the byte of one, or what administrators are shown. */
function onboardedBy(call: Answered): string[] {
  if (byteOf(call) === '1') return [clientCall(call)!.fp];
  if (call.status !== 200 || !call.path.startsWith('/api/v1/systems') || !call.body.includes('"onboarded"')) return [];
  const body = JSON.parse(call.body) as { items?: View[] } & View;
  return (body.items ?? [body]).flatMap(({ status, fp }) => (status === 'onboarded' ? fp : []));
}
type View = { readonly status?: string; readonly fp: string };

function told(client: ClientPast | undefined, zones: ZonePast, { presence }: World): string {
  if (!client || client.row.standing === 'pooled') return 'which nobody accepted';
  const zone = zones.now(client.row.zone ?? '');
  const owner = zone && ownerIn(zone, client.fp, pinsSince(client, Number.POSITIVE_INFINITY).at(-1));
  const places = client.stays
    .slice(-3)
    .map(({ told: { index, generation }, confirmedAt, revokedAt }) =>
      [
        `${index}/${generation}`,
        confirmedAt === undefined ? 'unconfirmed' : '',
        revokedAt === undefined ? '' : `revoked at ${revokedAt}`,
      ].join(' '),
    );
  const whose = owner === undefined ? 'nobody' : `${owner}/${generationAt(zone!.head.roster, owner)} ${standingIn(zone!, owner)}`;
  return `told ${places.join(', ') || 'nothing'}; its slot is of ${whose}; it is on ${presence.nodesOf(client.fp).join(', ') || 'no node'}`;
}
