import { useNonce } from '../../access/nonce.ts';
import { claimOf } from '../../access/signed.ts';
import { Refusal } from '../../api/problem.ts';
import type { BodyOf } from '../../api/route.ts';
import type { Fingerprint } from '../../core/ids.ts';
import { type EpochMs, secondMs } from '../../core/time.ts';
import { allowsUnsigned } from '../../deployment/deployment.ts';
import { deploymentOf, heartbeatMinNow } from '../../deployment/reads.ts';
import { fingerprintOf, minionFingerprintOf, minionTextFingerprintsOf } from '../../identity/fingerprint.ts';
import { faultOfProof } from '../../identity/minion-proof.ts';
import { bearWitness } from '../../nodes/changes/witness.ts';
import { apply } from '../../runtime/apply.ts';
import type { HttpRequest } from '../../runtime/function.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneNow, zoneOf } from '../../zones/reads/zones.ts';
import { servesAt } from '../../zones/rows/loaded.ts';
import { heedBoot } from '../changes/boots.ts';
import { isUnintroduced } from '../changes/introduce.ts';
import { countNewMachine } from '../changes/new-machines.ts';
import { banBeside } from '../changes/revoke.ts';
import { type Client, type ClientIn, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { watchOf } from '../intervals.ts';
import { awaitTurn } from '../onboarding-tokens/reads/turns.ts';
import { validToken } from '../onboarding-tokens/reads/valid.ts';
import { heirOf } from '../reads/heir.ts';
import { clientRow } from '../reads/rows.ts';
import { clientHeaders, type clientRoutes } from '../routes.ts';
import type { Boot } from '../rows/boots.ts';
import type { KnockFacts } from '../rows/command.ts';
import { isHeld, placedOf, rowStatus, turnTimesOf } from '../rows/status.ts';
import type { ClientCaller } from '../verify-client.ts';
import { byteAnswer } from './byte.ts';
import { confirmedByDigest } from './coverage.ts';
import { byteFromRow } from './from-row.ts';
import { keepKnock, knockAgain } from './knock-rows.ts';
import { tokenFor } from './tokens.ts';

type Body = BodyOf<(typeof clientRoutes)['knock']>;
type Knock = Call<(typeof clientRoutes)['knock'], ClientCaller>;

/**
 * Answers the knock of a client system with its status. A ban wins over everything, and writes nothing, unless that of
 * its minion reaches a row of its own.
 */
export async function knock({ body, caller, request }: Knock, shell: Shell): Promise<Answer> {
  const fp = fingerprintOf(body.publicKey);
  const askedAt = shell.now();
  const found = (await clientRow(shell, fp))?.state;
  if (found?.standing === 'banned') return deleted(found, shell);
  const who = whoOf(body, fp);
  const beside = await newMinionOf(shell, who, found);
  const isSigned = caller.signed !== undefined;
  if (beside?.standing === 'banned' && !(found && isSigned)) return deleted(undefined, shell);
  // Only the holder of the daemon's key can report the minion beside it, and the zone that it asks for. The ban of the
  // minion is decided there.
  const boot = bootIn(body, caller, askedAt);
  const knocking = {
    who: isSigned ? who : { ...who, minion: undefined, zone: undefined },
    isSigned,
    boot,
    token: body.token,
    source: caller.source,
  };
  const token = await expectedBy(shell, found, { body, caller });
  if (token) awaitTurn(shell, token, fp);
  const isExpected = token !== undefined || (!found && isSigned && isUnintroduced(beside));
  if (!found && !isExpected) await countNewMachine(shell, { fp, source: caller.source });
  if (caller.signed) await useNonce(shell, caller.signed.keyId, caller.signed.nonce);
  else if (found?.standing === 'accepted') return unsignedAnswer(found, request, shell);
  const known = found && boot && beside?.standing !== 'banned' ? await heedBoot(shell, found, boot) : found;
  const client = known ? await knockAgain(shell, known, knocking) : await keepKnock(shell, fp, { ...knocking, isCounted: !isExpected });
  if (client.standing === 'banned' && client.fp !== fp) return deleted(await banBeside(shell, fp, client.fp), shell);
  // A knock reports that the node was lost just now; later calls report for how long.
  const lostS = body.lost ? 0 : undefined;
  if (client.standing !== 'accepted' || !isSigned)
    return byteAnswer(rowStatus(client, undefined, { now: shell.now() }), { shell, covered: false, lostS, client });
  return accepted(shell, client, body, { lostS, askedAt, source: caller.source });
}

/** The boot of the daemon that knocks; only a signed knock names one. */
function bootIn({ boot: id }: Body, { signed }: ClientCaller, at: EpochMs): Boot | undefined {
  return id !== undefined && signed ? { id, at, signedAgoMs: at - signed.created * secondMs } : undefined;
}

/**
 * The valid onboarding token of a machine that waits, or that nobody knows. It is expected, however many strangers have
 * knocked from its network address.
 */
async function expectedBy(shell: Shell, found: Client | undefined, { body, caller }: Pick<Knock, 'body' | 'caller'>) {
  const mayBeAccepted = caller.signed !== undefined && (found === undefined || found.standing === 'pooled');
  return mayBeAccepted ? validToken(shell, { text: body.token, source: caller.source }) : undefined;
}

const deleted = (client: Client | undefined, shell: Shell): Answer => byteAnswer('deleted', { shell, covered: false, client });

/**
 * The client system that the minion beside the daemon is, or leads to, or the one that took its place; looked for when
 * the minion is first reported.
 */
async function newMinionOf(shell: Shell, { minion }: KnockFacts, known: Client | undefined): Promise<Client | undefined> {
  if (!minion || minion.fingerprint === known?.minion?.fingerprint) return undefined;
  const clientAt = async (fp: Fingerprint): Promise<Client | undefined> => (await clientRow(shell, fp))?.state;
  return heirOf(await clientAt(minion.fingerprint), clientAt);
}

/**
 * Answers an unsigned knock of an accepted machine as its open calls are answered, if its zone allows that. Writes
 * nothing.
 */
async function unsignedAnswer(client: ClientIn<'accepted'>, request: HttpRequest, shell: Shell): Promise<Answer> {
  if (!allowsUnsigned(await deploymentOf(shell), client.zone)) claimOf(request, shell);
  return byteFromRow(shell, client);
}

/** Answers an accepted machine: applies a confirmation, computes the status, and mints a token that states both. */
async function accepted(
  shell: Shell,
  client: ClientIn<'accepted'>,
  body: Body,
  { lostS, askedAt, source }: { lostS: number | undefined; askedAt: EpochMs; source: string },
): Promise<Answer> {
  // A client that must knock because its slot moved would get another answer from a map that is seconds old, and then
  // not call for hours.
  const zone = await (body.lost ? zoneOf : zoneNow)(shell, client.zone);
  if (!zone) throw new Refusal('unknown-zone', `zone ${client.zone} is gone`);
  if (body.lost) await bearWitness(shell, client, zone, { source, at: askedAt });
  const { told } = client;
  let now = client;
  if (body.confirmed !== undefined && told && told.confirmedAt === undefined && zone.members[told.index]?.fqdn === body.confirmed) {
    const command = { type: 'confirm', id: shell.newId(), index: told.index, generation: told.generation, by: 'daemon' } as const;
    const { state } = await apply(shell, clientRef(client.fp), command, decide);
    if (state?.standing === 'accepted') now = state;
  }
  const { client: seen, covered } = await confirmedByDigest(shell, now, zone);
  const { token, client: sure } = await tokenFor(shell, seen, zone, { covered, askedAt });
  const place = sure?.standing === 'accepted' ? sure.told : undefined;
  // It runs on another node than it is assigned to: another machine with its key called meanwhile. As an orphan it asks
  // for its node.
  const isElsewhere = body.confirmed !== undefined && place !== undefined && zone.members[place.index]?.fqdn !== body.confirmed;
  const asked = { now: shell.now(), lost: body.lost };
  const answer = byteAnswer(isElsewhere ? 'orphan' : rowStatus(sure, zone, asked), {
    shell,
    covered,
    lostS,
    client: sure,
    ...(sure && turnTimesOf(zone, sure, asked)),
    held: sure && isHeld(zone, placedOf(sure), asked),
  });
  const watch =
    place && servesAt(zone, place.index, place.generation)
      ? { [clientHeaders.watch]: watchOf(zone, place.index, await heartbeatMinNow(shell)) }
      : {};
  return { ...answer, headers: { ...answer.headers, ...watch, ...(token && { [clientHeaders.token]: token }) } };
}

/**
 * The description of the machine. The key of the minion must have signed for this daemon. Throws a {@link Refusal} if
 * it did not.
 */
function whoOf({ publicKey, fqdn, machineId, zone, facts, suggestedTags, minion }: Body, fp: Fingerprint): KnockFacts {
  const fault = minion && faultOfProof(minion, fp);
  if (fault !== undefined) throw new Refusal('proof-invalid', fault, { errors: [{ pointer: '/minion/proof', detail: fault }] });
  return {
    fp,
    publicKey,
    fqdn,
    machineId,
    zone,
    facts,
    suggestedTags,
    ...(minion && {
      minion: {
        id: minion.id,
        fingerprint: minionFingerprintOf(minion.publicKey),
        ofText: minionTextFingerprintsOf(minion.publicKey),
      },
    }),
  };
}
