import { Refusal } from '../../api/problem.ts';
import type { Fingerprint } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { allowsUnsigned } from '../../deployment/deployment.ts';
import { deploymentOf, heartbeatMinNow } from '../../deployment/reads.ts';
import type { Token } from '../../identity/token.ts';
import { apply } from '../../runtime/apply.ts';
import type { HttpRequest } from '../../runtime/function.ts';
import type { Answer, Call, Handlers } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { countSoon } from '../../zones/changes/count-soon.ts';
import { generationAt } from '../../zones/map/rows/roster.ts';
import { zoneNow, zoneOf } from '../../zones/reads/zones.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { type Client, type ClientIn, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { knockSeconds, lostSecondsOf, nextSeconds, renewAfterS, watchOf } from '../intervals.ts';
import { clientRow } from '../reads/rows.ts';
import { clientHeaders, type clientRoutes } from '../routes.ts';
import { type Boot, BootId, bootNews } from '../rows/boots.ts';
import {
  heldBy,
  isHeld,
  placedOf,
  placeFor,
  rowStatus,
  type TurnTimes,
  tokenStatus,
  turnTimes,
  turnTimesOf,
  waitsFor,
} from '../rows/status.ts';
import { isMarkedSilent } from '../silence/reads.ts';
import type { ClientCaller } from '../verify-client.ts';
import { byteAnswer } from './byte.ts';
import { confirmedByDigest } from './coverage.ts';
import { byteFromRow, needOpenCalls } from './from-row.ts';
import { knock } from './knock.ts';
import { heldToken, tokenFor } from './tokens.ts';

type Routes = typeof clientRoutes;

/**
 * The handlers of client systems: each answers one byte, or a name. The answer is computed from the token and the map
 * of the zone, and written only when something changed.
 */
export const clientHandlers: Handlers<Routes, ClientCaller> = { knock, systemStatus, orphan };

async function systemStatus({ query, request }: Call<Routes['systemStatus'], ClientCaller>, shell: Shell): Promise<Answer> {
  const text = request.header(clientHeaders.token);
  const held = await heldToken(shell, text, query.fp);
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  if (!held) return fromRow(query.fp, { brought: text !== undefined, lost: lostS !== undefined }, shell);
  const { token, zone } = held;
  const asked = { now: shell.now(), lost: lostS !== undefined };
  const ageS = Math.floor(shell.now() / 1000) - token.issuedAtS;
  if (token.confirmed && ageS < renewAfterS(token.covered) && !(await isSilentOn(shell, zone, token)))
    return byteAnswer(tokenStatus(zone, token, asked), {
      shell,
      covered: token.covered,
      lostS,
      ...turnTimes(zone, heldBy(token), waitsFor(zone, heldBy(token), asked.now), asked.now),
      held: isHeld(zone, heldBy(token), asked),
    });
  return renewed(query.fp, zone, { lostS, boot: bootIn(request, shell) }, shell);
}

/** Whether the node of a client system no longer sees it, although its token says that it does. */
async function isSilentOn(shell: Shell, { members }: LoadedZone, { index, covered, fp }: Token): Promise<boolean> {
  const node = covered ? members[index]?.node : undefined;
  return node !== undefined && isMarkedSilent(shell, node, fp);
}

/** Without a valid token: answers from the row. */
async function fromRow(fp: Fingerprint, { brought, lost }: { brought: boolean; lost: boolean }, shell: Shell): Promise<Answer> {
  await needOpenCalls(shell);
  const client = (await clientRow(shell, fp))?.state;
  const answer = await byteFromRow(shell, client, lost);
  return brought && client?.standing === 'accepted' ? toKnock(answer, shell) : answer;
}

/** What a call says of its daemon: for how long it has been without its node, and which boot it is. */
type Renewing = { readonly lostS: number | undefined; readonly boot: Boot | undefined };

/** The boot that a call names, received now; undefined for a call that names none. */
function bootIn(request: HttpRequest, shell: Shell): Boot | undefined {
  const id = BootId.safeParse(request.header(clientHeaders.boot)).data;
  return id === undefined ? undefined : { id, at: shell.now() };
}

/**
 * Whether the daemon that calls is another than the one that spoke last. Only a signed knock says so, because anybody
 * who records a call can make it again.
 */
const isNews = (client: Client, boot: Boot | undefined): boolean => boot !== undefined && bootNews(client, boot) !== undefined;

/**
 * With a token that is unconfirmed or old: reads the row and, if needed, the digest of the node. The outcome is written
 * once.
 */
async function renewed(fp: Fingerprint, zone: LoadedZone, { lostS, boot }: Renewing, shell: Shell): Promise<Answer> {
  const askedAt = shell.now();
  const found = await clientRow(shell, fp);
  const asked = { now: askedAt, lost: lostS !== undefined };
  if (found?.state.standing !== 'accepted') return byteAnswer(rowStatus(found?.state, zone, asked), { shell, covered: false, lostS });
  if (isNews(found.state, boot)) return toKnock(byteAnswer(rowStatus(found.state, zone, asked), { shell, covered: false, lostS }), shell);
  const { client, covered } = await confirmedByDigest(shell, found.state, zone);
  const { token, client: sure } = await tokenFor(shell, client, zone, { covered, askedAt });
  const answer = byteAnswer(rowStatus(sure, zone, asked), {
    shell,
    covered,
    lostS,
    client: sure,
    ...(sure && turnTimesOf(zone, sure, asked)),
    held: sure && isHeld(zone, placedOf(sure), asked),
  });
  return { ...answer, headers: { ...answer.headers, ...(token && { [clientHeaders.token]: token }) } };
}

async function orphan({ query, request }: Call<Routes['orphan'], ClientCaller>, shell: Shell): Promise<Answer> {
  const text = request.header(clientHeaders.token);
  const askedAt = shell.now();
  const held = await heldToken(shell, text, query.fp);
  if (!held) await needOpenCalls(shell);
  const found = await clientRow(shell, query.fp);
  if (!found) throw new Refusal('unknown-system', 'no machine with this fingerprint has knocked');
  if (found.state.standing !== 'accepted') return wait(shell, found.state);
  const client = found.state;
  if (held && isNews(client, bootIn(request, shell))) return toKnock(wait(shell, client), shell);
  const zone = await zoneToNameBy(shell, client, { mapVersion: held?.token.mapVersion, now: askedAt });
  if (!zone) return wait(shell, client);
  const turn = turnTimesOf(zone, client, { now: askedAt });
  const place = isStamped(client, askedAt) ? undefined : placeFor(zone, placedOf(client), { now: askedAt });
  if (!held && !(await mayAskUnsigned(client, shell))) {
    const answer = await grantedBefore(client, zone, shell);
    return text === undefined ? answer : toKnock(answer, shell);
  }
  if (place === undefined || isKeptFrom(client, place)) return wait(shell, client, turn);
  const command = {
    type: 'tell',
    id: shell.newId(),
    index: place,
    node: zone.members[place]!.node,
    generation: generationAt(zone.head.roster, place),
  } as const;
  const { state, decision } = await apply(shell, clientRef(client.fp), command, decide);
  if (decision.does === 'write') await countSoon(shell, client.zone);
  if (state?.standing !== 'accepted') return wait(shell, state);
  // A machine that never proved that it holds its key is assigned its place, but receives no token.
  if (!held) return grantedBefore(state, zone, shell);
  const { token, client: sure } = await tokenFor(shell, state, zone, { covered: false, askedAt });
  // It lost the place meanwhile: the next call assigns another.
  if (sure?.standing !== 'accepted' || sure.told?.index !== place) return wait(shell, sure);
  return token ? named(zone, place, shell, { [clientHeaders.token]: token }) : wait(shell, state);
}

/**
 * The zone by which a place is named. A client may ask where to go although its own confirmed node is its place. Then a
 * newer map, which this environment may not have yet, sent it away. The zone is read again, so that the machine is not
 * sent back to a lost node.
 */
async function zoneToNameBy(
  shell: Shell,
  client: ClientIn<'accepted'>,
  { mapVersion, now }: { readonly mapVersion: number | undefined; readonly now: EpochMs },
): Promise<LoadedZone | undefined> {
  const zone = await zoneOf(shell, client.zone, mapVersion);
  const isThere = zone && client.told?.confirmedAt !== undefined && client.told.index === placeFor(zone, placedOf(client), { now });
  return isThere ? zoneNow(shell, client.zone) : zone;
}

/** Whether a machine that has never signed anything may take its place: only if its zone allows unsigned clients. */
const mayAskUnsigned = async (client: ClientIn<'accepted'>, shell: Shell): Promise<boolean> =>
  client.unsigned === true && allowsUnsigned(await deploymentOf(shell), client.zone);

/** Without a valid token: only a place that was assigned already and is still served. */
async function grantedBefore(client: ClientIn<'accepted'>, zone: LoadedZone, shell: Shell): Promise<Answer> {
  const { told } = client;
  const asked = { now: shell.now() };
  const place = placeFor(zone, placedOf(client), asked);
  if (!told || told.index !== place || !servesAt(zone, told.index, told.generation))
    return wait(shell, client, turnTimesOf(zone, client, asked));
  return named(zone, place, shell, {});
}

async function named(zone: LoadedZone, index: number, shell: Shell, headers: Record<string, string>): Promise<Answer> {
  return {
    status: 200,
    text: zone.members[index]!.fqdn,
    headers: { [clientHeaders.watch]: watchOf(zone, index, await heartbeatMinNow(shell)), ...headers },
  };
}

/**
 * The token of the call was revoked, is of another epoch or of a retired key, or is too old. Only a knock, which is
 * signed, returns another. The client should knock soon, but only after every environment knows of the revocation.
 */
function toKnock(answer: Answer, shell: Shell): Answer {
  const seconds = String(knockSeconds(shell.random()));
  const headers = { ...answer.headers, [clientHeaders.knock]: '1', [clientHeaders.next]: seconds };
  return { ...answer, headers: answer.status === 204 ? { ...headers, 'retry-after': seconds } : headers };
}

/** Two machines run with its key, and it is on another node than this one, or on none: it is given no new node. */
const isKeptFrom = ({ copied, told }: ClientIn<'accepted'>, place: number): boolean => copied !== undefined && told?.index !== place;

/** It was accepted in bulk, and its turn has not come. */
const isStamped = ({ notBefore, told }: ClientIn<'accepted'>, now: EpochMs): boolean => notBefore !== undefined && notBefore > now && !told;

/** Answers that it is not the turn of the client: it should keep knocking. */
function wait(shell: Shell, client: Client | undefined, turn: TurnTimes = {}): Answer {
  const seconds = String(nextSeconds('orphan', { now: shell.now(), random: shell.random(), covered: false, client, ...turn }));
  return { status: 204, headers: { 'retry-after': seconds, [clientHeaders.next]: seconds } };
}
