import { clientHeaders, type clientRoutes } from '../api/client-routes.ts';
import { Refusal } from '../api/problem.ts';
import type { BodyOf } from '../api/route.ts';
import type { Client, ClientAlias, ClientIn } from '../clients/client.ts';
import type { KnockFacts } from '../clients/command.ts';
import { decide } from '../clients/decide.ts';
import { rowStatus } from '../clients/status.ts';
import { write } from '../decision.ts';
import { fingerprintOf, minionFingerprintOf } from '../identity/fingerprint.ts';
import { apply } from '../runtime/apply.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Answer, Call } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import type { EpochMs } from '../units.ts';
import { servesAt } from '../zones/loaded.ts';
import { byteAnswer } from './byte.ts';
import { clientRow } from './client-rows.ts';
import { confirmedByDigest } from './coverage.ts';
import { watchOf } from './intervals.ts';
import { beatMinNow } from './settings.ts';
import { tokenFor } from './tokens.ts';
import { zoneNow, zoneOf } from './zones.ts';

type Knock = Call<(typeof clientRoutes)['knock']>;

/** A client system's call at the door: who is there, and where it stands. */
export async function knock({ body }: Knock, shell: Shell): Promise<Answer> {
  const who = whoOf(body);
  const askedAt = shell.now();
  const found = await clientRow(shell, who.fp);
  const client = found ? await knockAgain(shell, found.state, who) : (await keepKnock(shell, who.fp, who))!;
  // A knock says that the node was lost just now; how long ago is for the calls that follow it.
  const lostS = body.lost ? 0 : undefined;
  if (client.standing !== 'accepted') return byteAnswer(rowStatus(client, undefined), { shell, covered: false, lostS, client });
  return accepted(shell, client, body, { lostS, askedAt });
}

/** Accepted: a confirmation is taken, the status computed, and a token given that says so. */
async function accepted(
  shell: Shell,
  client: ClientIn<'accepted'>,
  body: BodyOf<(typeof clientRoutes)['knock']>,
  { lostS, askedAt }: { lostS: number | undefined; askedAt: EpochMs },
): Promise<Answer> {
  // Whoever is made to knock because its slot has moved would hear otherwise from a map that is seconds old, and then not ask for hours.
  const zone = await (body.lost ? zoneOf : zoneNow)(shell, client.zone);
  if (!zone) throw new Refusal('unknown-zone', `zone ${client.zone} is gone`);
  const { told } = client;
  let now = client;
  if (body.confirmed !== undefined && told && told.confirmedAt === undefined && zone.members[told.index]?.fqdn === body.confirmed) {
    const command = { type: 'confirm', id: shell.newId(), index: told.index, generation: told.generation, by: 'daemon' } as const;
    const { state } = await apply<Client, typeof command>(shell, { noun: 'client', id: client.fp }, command, decide);
    if (state?.standing === 'accepted') now = state;
  }
  const { client: seen, covered } = await confirmedByDigest(shell, now, zone);
  const { token, client: sure } = await tokenFor(shell, seen, zone, { covered, askedAt });
  const place = sure?.standing === 'accepted' ? sure.told : undefined;
  // It runs elsewhere than it was told: another machine with its key asked meanwhile. As an orphan it asks where it belongs.
  const isElsewhere = body.confirmed !== undefined && place !== undefined && zone.members[place.index]?.fqdn !== body.confirmed;
  const answer = byteAnswer(isElsewhere ? 'orphan' : rowStatus(sure, zone), { shell, covered, lostS, client: sure });
  const watch =
    place && servesAt(zone, place.index, place.generation)
      ? { [clientHeaders.watch]: watchOf(zone, place.index, await beatMinNow(shell)) }
      : {};
  return { ...answer, headers: { ...answer.headers, ...watch, ...(token && { [clientHeaders.token]: token }) } };
}

async function knockAgain(shell: Shell, before: Client, who: KnockFacts): Promise<Client> {
  // Another key of the machine needs a row of its own that finds this one; that is rare, and everything else is one row.
  if (before.standing !== 'banned' && who.minion && who.minion.fingerprint !== before.minion?.fingerprint)
    return (await keepKnock(shell, before.fp, who)) ?? before;
  const command = { type: 'knock', id: shell.newId(), who } as const;
  const { state } = await apply<Client, typeof command>(shell, { noun: 'client', id: before.fp }, command, decide);
  return state ?? before;
}

/** The row and, for a machine with a minion, the row that finds it by the minion's fingerprint, in one commit. */
async function keepKnock(shell: Shell, fp: string, who: KnockFacts): Promise<Client | undefined> {
  const command = { type: 'knock', id: shell.newId(), who } as const;
  const ref = { noun: 'client', id: fp };
  let made: Client | undefined;
  await applyPlan(shell, command, async (reading) => {
    const row = await reading.row(ref);
    const now = shell.now();
    const known = stateOf<Client>(row, now);
    const decision = decide(known, command, now);
    made = decision.does === 'write' ? decision.next : known;
    const alias = who.minion && { noun: 'client', id: who.minion.fingerprint as string };
    const aliasRow = alias && (await reading.row(alias));
    const aliasChange =
      alias && decision.does === 'write' && !(await finds(reading, stateOf<Client | ClientAlias>(aliasRow, now), fp, now))
        ? [{ ref: alias, readRev: aliasRow?.rev ?? 0, decision: write({ standing: 'alias', of: fp }, `another key of ${fp}`) }]
        : [];
    return { changes: [{ ref, readRev: row?.rev ?? 0, decision }, ...aliasChange], because: [decision.because] };
  });
  return made;
}

/** Whether a minion's fingerprint finds somebody already: the machine that it was noted for may have been forgotten since. */
async function finds(reading: Reading, known: Client | ClientAlias | undefined, fp: string, now: EpochMs): Promise<boolean> {
  if (known?.standing !== 'alias' || known.of === fp) return known !== undefined;
  return stateOf(await reading.row({ noun: 'client', id: known.of }), now) !== undefined;
}

/** Who is there. The fingerprint is computed here from the key, never taken from the caller. */
function whoOf(body: BodyOf<(typeof clientRoutes)['knock']>): KnockFacts {
  const { publicKey, fqdn, machineId, facts, suggestedTags, minion } = body;
  return {
    fp: fingerprintOf(publicKey),
    publicKey,
    fqdn,
    machineId,
    facts,
    suggestedTags,
    ...(minion && { minion: { id: minion.id, fingerprint: minionFingerprintOf(minion.publicKey) } }),
  };
}
