import { clientHeaders, type clientRoutes } from '../api/client-routes.ts';
import { Refusal } from '../api/problem.ts';
import type { Client, ClientIn } from '../clients/client.ts';
import { decide } from '../clients/decide.ts';
import { pinOf, placeFor, placementOf, rowStatus, tokenStatus } from '../clients/status.ts';
import { allowsUnsigned } from '../deployment/deployment.ts';
import type { Fingerprint } from '../ids.ts';
import { apply } from '../runtime/apply.ts';
import type { Answer, Call, Handlers } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import { type LoadedZone, servesAt } from '../zones/loaded.ts';
import { generationAt } from '../zones/roster.ts';
import { byteAnswer } from './byte.ts';
import { clientRow } from './client-rows.ts';
import { confirmedByDigest } from './coverage.ts';
import { byteFromRow, needOpenCalls } from './from-row.ts';
import { knockSeconds, lostSecondsOf, nextSeconds, renewAfterS, watchOf } from './intervals.ts';
import { knock } from './knock.ts';
import { beatMinNow, deploymentOf } from './settings.ts';
import { heldToken, tokenFor } from './tokens.ts';
import type { ClientCaller } from './verify-client.ts';
import { zoneOf } from './zones.ts';

type Routes = typeof clientRoutes;

/** The doors of client systems: one byte, or a name; computed from the token and the zone's map, written only when something changed. */
export const clientHandlers: Handlers<Routes, ClientCaller> = { knock, systemStatus, orphan };

async function systemStatus({ query, request }: Call<Routes['systemStatus'], ClientCaller>, shell: Shell): Promise<Answer> {
  const text = request.header(clientHeaders.token);
  const held = await heldToken(shell, text, query.fp);
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  if (!held) return fromRow(query.fp, text !== undefined, shell);
  const { token, zone } = held;
  const ageS = Math.floor(shell.now() / 1000) - token.issuedAtS;
  if (token.confirmed && ageS < renewAfterS(token.covered))
    return byteAnswer(tokenStatus(zone, token), { shell, covered: token.covered, lostS });
  return renewed(query.fp, zone, lostS, shell);
}

/** Without a token that holds: from the row. */
async function fromRow(fp: Fingerprint, brought: boolean, shell: Shell): Promise<Answer> {
  await needOpenCalls(shell);
  const client = (await clientRow(shell, fp))?.state;
  const answer = await byteFromRow(shell, client);
  return brought && client?.standing === 'accepted' ? toKnock(answer, shell) : answer;
}

/** With a token that is unconfirmed or has grown old: the row and, if need be, the node's digest; what it shows is written once. */
async function renewed(fp: Fingerprint, zone: LoadedZone, lostS: number | undefined, shell: Shell): Promise<Answer> {
  const askedAt = shell.now();
  const found = await clientRow(shell, fp);
  if (found?.state.standing !== 'accepted') return byteAnswer(rowStatus(found?.state, zone), { shell, covered: false, lostS });
  const { client, covered } = await confirmedByDigest(shell, found.state, zone);
  const { token, client: sure } = await tokenFor(shell, client, zone, { covered, askedAt });
  const answer = byteAnswer(rowStatus(sure, zone), { shell, covered, lostS, client: sure });
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
  const zone = await zoneOf(shell, found.state.zone, held?.token.mapVersion);
  if (!zone) return wait(shell, found.state);
  const place = placeFor(zone, found.state.fp, pinOf(found.state), placementOf(found.state));
  if (!held && !(await mayAskUnsigned(found.state, shell))) {
    const answer = await grantedBefore(found.state, zone, shell);
    return text === undefined ? answer : toKnock(answer, shell);
  }
  if (place === undefined) return wait(shell, found.state);
  const command = {
    type: 'tell',
    id: shell.newId(),
    index: place,
    node: zone.members[place]!.node,
    generation: generationAt(zone.head.roster, place),
  } as const;
  const { state } = await apply<Client, typeof command>(shell, { noun: 'client', id: found.state.fp }, command, decide);
  if (state?.standing !== 'accepted') return wait(shell, state);
  // A machine of which nobody knows whether it holds its key is told its place, and is given nothing to show.
  if (!held) return grantedBefore(state, zone, shell);
  const { token, client: sure } = await tokenFor(shell, state, zone, { covered: false, askedAt });
  // It lost the place again while we looked: the next call tells it another.
  if (sure?.standing !== 'accepted' || sure.told?.index !== place) return wait(shell, sure);
  return token ? named(zone, place, shell, { [clientHeaders.token]: token }) : wait(shell, state);
}

/** Whether a machine that has never signed anything may take its place all the same: where its zone allows unsigned clients. */
const mayAskUnsigned = async (client: ClientIn<'accepted'>, shell: Shell): Promise<boolean> =>
  client.unsigned === true && allowsUnsigned(await deploymentOf(shell), client.zone);

/** Without a token that holds: only a place that was granted already and still holds. */
async function grantedBefore(client: ClientIn<'accepted'>, zone: LoadedZone, shell: Shell): Promise<Answer> {
  const { told } = client;
  const place = placeFor(zone, client.fp, pinOf(client), placementOf(client));
  if (!told || told.index !== place || !servesAt(zone, told.index, told.generation)) return wait(shell, client);
  return named(zone, place, shell, {});
}

async function named(zone: LoadedZone, index: number, shell: Shell, headers: Record<string, string>): Promise<Answer> {
  return {
    status: 200,
    text: zone.members[index]!.fqdn,
    headers: { [clientHeaders.watch]: watchOf(zone, index, await beatMinNow(shell)), ...headers },
  };
}

/**
 * A token that was revoked, or is of another epoch, of a retired key or too old, came with the call: only a knock, which is signed,
 * brings another. Soon, and no sooner than every environment has heard of the revocation.
 */
function toKnock(answer: Answer, shell: Shell): Answer {
  const seconds = String(knockSeconds(shell.random()));
  const headers = { ...answer.headers, [clientHeaders.knock]: '1', [clientHeaders.next]: seconds };
  return { ...answer, headers: answer.status === 204 ? { ...headers, 'retry-after': seconds } : headers };
}

/** Not your turn: keep knocking. */
function wait(shell: Shell, client: Client | undefined): Answer {
  const seconds = String(nextSeconds('orphan', { now: shell.now(), random: shell.random(), covered: false, client }));
  return { status: 204, headers: { 'retry-after': seconds, [clientHeaders.next]: seconds } };
}
