import { hasEndedWithMaker } from '../../access/known-keys.ts';
import { freeForClient, heldKey } from '../../access/machine-keys.ts';
import { nothing, type PlannedChange, write } from '../../core/decision.ts';
import type { ClusterId, Fingerprint } from '../../core/ids.ts';
import type { Ref } from '../../core/ref.ts';
import { parseSecret } from '../../identity/secret-text.ts';
import type { Row } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Room, roomOf } from '../../zones/capacity/reads.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { type RecordedClaims, recordClaims } from '../changes/claims.ts';
import { introduce, isUnintroduced } from '../changes/introduce.ts';
import { countNewMachine } from '../changes/new-machines.ts';
import { type Client, type ClientAlias, type ClientIn, clientRef, type MinionText, minionTextRef } from '../client.ts';
import { clusterIdOnce, givenId } from '../cluster-ids/changes.ts';
import { decide } from '../decide.ts';
import { countUse } from '../onboarding-tokens/changes.ts';
import type { OnboardingToken } from '../onboarding-tokens/onboarding-token.ts';
import { heirOf } from '../reads/heir.ts';
import { noteRefused } from '../refusals/changes.ts';
import type { Boot } from '../rows/boots.ts';
import { claimedBy, claims, heldByClaims, heldForTwo, isNoteDue } from '../rows/claims.ts';
import type { ClientCommand, KnockFacts, PresentedToken } from '../rows/command.ts';

/** A knock, as its machine sent it. */
export type Knocking = {
  readonly who: KnockFacts;
  readonly isSigned: boolean;
  /** The boot of its daemon, and when its knock was received; only a signed one names it. */
  readonly boot?: Boot | undefined;
  /** The onboarding token that it brings, as text. */
  readonly token?: string | undefined;
  readonly source: string;
  /** Its network address was counted for it; if not, its token is expected to accept it. */
  readonly isCounted?: boolean;
};

/** Applies the knock of a known machine to its row: mostly it changes nothing, and reads one row. */
export async function knockAgain(shell: Shell, before: Client, knocking: Knocking): Promise<Client> {
  const { who, isSigned, boot, token } = knocking;
  const isNewMinion = who.minion && who.minion.fingerprint !== before.minion?.fingerprint;
  const mayBeAccepted = before.standing === 'pooled' && isSigned && token !== undefined;
  const isClaimNew = claims.some((claim) => claimedBy(claim, who) !== claimedBy(claim, before));
  // A row from before there were records of names is in one once a daemon names its boot.
  const isFirstBoot = boot !== undefined && before.boots === undefined;
  const isRecordDue = ((isSigned || before.unsigned) && isClaimNew) || isFirstBoot || lacksId(before) || isNoteDue(before, shell.now());
  // Another key of the machine needs a row of its own that finds this one, a token is counted, and what a machine
  // claims is recorded for all keys that claim it. Those cases are rare; all others touch one row.
  if (before.standing !== 'banned' && (isNewMinion || mayBeAccepted || isRecordDue)) return keepKnock(shell, before.fp, knocking);
  const command = commandOf(shell, knocking, undefined);
  const { state } = await apply(shell, clientRef(before.fp), command, (known, input, now) =>
    known ? decide(known, input, now) : nothing('its row expired meanwhile'),
  );
  return state ?? keepKnock(shell, before.fp, knocking);
}

const idFor = async (known: Client | undefined, newId: () => Promise<ClusterId>): Promise<ClusterId | undefined> =>
  known && lacksId(known) ? newId() : undefined;

/** Whether it was accepted before there were cluster ids. */
const lacksId = (client: Client): boolean => client.standing === 'accepted' && client.clusterId === undefined;

/** The row that finds a client system by the cluster id that it has got, if it has. */
function idChanges(before: Client | undefined, made: Client | undefined): PlannedChange[] {
  if (made?.standing !== 'accepted' || made.clusterId === undefined) return [];
  return before?.standing === 'accepted' && !lacksId(before) ? [] : [givenId(made.clusterId, made.fp)];
}

/**
 * Writes in one commit the row of the machine, the rows that find it by the fingerprints of its minion and by its
 * cluster id, the records of what it claims, and the count of the token that accepts it. If the key of its minion
 * belongs to a banned machine, this is that machine, and nothing is written.
 */
export async function keepKnock(shell: Shell, fp: string, knocking: Knocking): Promise<Client> {
  const ref = clientRef(fp);
  const id = shell.newId();
  const newId = clusterIdOnce(shell);
  let made: Client | undefined;
  let room: Room | undefined;
  let { isCounted = true } = knocking;
  let attempts = 0;
  let refused: { readonly why: string; readonly of: OnboardingToken | undefined } | undefined;
  await applyPlan(shell, { id }, async (reading) => {
    const row = await reading.row(ref);
    const now = shell.now();
    const known = stateOf<Client>(row, now);
    const free = known ? [] : [freeForClient(await heldKey(shell, reading, fp))];
    const alias = await aliasOf(shell, reading, fp, knocking);
    const decided = await decidedByMinion(shell, reading, alias, { id, known, knocking });
    if (decided) {
      made = decided.made;
      return { changes: [...decided.changes, ...free], because: [decided.because] };
    }
    const claimed = await recordClaims(shell, reading, knocking.who, known);
    room?.giveBack();
    const held = heldBy(knocking, claimed, known);
    const token =
      known && known.standing !== 'pooled'
        ? undefined
        : await tokenOf(shell, reading, id, { ...knocking, fp, held, attempt: attempts++, newId });
    room = token?.room;
    refused = token && 'refused' in token.outcome ? { why: token.outcome.refused, of: token.of } : undefined;
    if (!isCounted && !known && refused) {
      await countNewMachine(shell, { fp, source: knocking.source });
      isCounted = true;
    }
    const clusterId = await idFor(known, newId);
    const command = { ...commandOf(shell, knocking, token?.outcome), id, others: claimed.before, clusterId };
    const decision = decide(known, command, now);
    made = decision.does === 'write' ? decision.next : known;
    const noted = claimed.changes(made?.standing === 'accepted');
    const others = decision.does === 'write' ? [...alias.changes, ...noted, ...idChanges(known, made), ...(token?.changes ?? [])] : [];
    return { changes: [{ ref, readRev: row?.rev ?? 0, decision }, ...free, ...others], because: [decision.because] };
  });
  if (refused) await noteRefused(shell, { id, reason: 'token-refused', because: refused.why, source: knocking.source, token: refused.of });
  return made!;
}

type ByMinion = { readonly made: Client | undefined; readonly changes: readonly PlannedChange[]; readonly because: string };

/** What the key of its minion decides of a machine: it is banned, or was adopted by that; undefined for any other. */
async function decidedByMinion(
  shell: Shell,
  reading: Reading,
  { banned, adopted }: Alias,
  {
    id,
    known,
    knocking: { who, boot, isSigned },
  }: { readonly id: string; readonly known: Client | undefined; readonly knocking: Knocking },
): Promise<ByMinion | undefined> {
  // One that had this minion before that was banned is judged by its own row.
  const isNews = who.minion?.fingerprint !== known?.minion?.fingerprint;
  if (banned && isNews) return { made: banned, changes: [], because: 'the key of its minion is banned' };
  if (!adopted || !isSigned || (known && known.standing !== 'pooled')) return undefined;
  const { next: made, ...introduced } = await introduce(shell, reading, adopted, { id, who, boot });
  return { made, ...introduced };
}

/** Why no token accepts the machine, in words for people; undefined where one may. */
const heldBy = ({ who }: Knocking, { before }: RecordedClaims, known: Client | undefined): string | undefined =>
  heldByClaims(who.fqdn, before) ?? heldForTwo(known ?? {});

const commandOf = (
  shell: Shell,
  { who, isSigned, boot }: Knocking,
  token: PresentedToken | undefined,
): Extract<ClientCommand, { type: 'knock' }> => ({
  type: 'knock',
  id: shell.newId(),
  who,
  unsigned: isSigned ? undefined : true,
  boot,
  token,
});

/** `adopted`: the machine was adopted by the key of its minion, and this is the first knock of its daemon. */
type Alias = { readonly changes: readonly PlannedChange[]; readonly banned?: Client; readonly adopted?: ClientIn<'accepted'> };

/**
 * The rows that find a machine by the fingerprints of its minion: one key, as each version of Salt prints it. The
 * machine that they were recorded for may have been forgotten since. If the key was another machine's first, all of
 * them go on finding that one.
 */
async function aliasOf(shell: Shell, reading: Reading, fp: string, { who: { minion, fp: own } }: Knocking): Promise<Alias> {
  if (!minion) return { changes: [] };
  const ref: Ref<unknown> = clientRef(minion.fingerprint);
  const texts = (minion.ofText ?? []).map((one) => minionTextRef(one));
  const [row, ...rows]: readonly [Row | undefined, ...(Row<MinionText> | undefined)[]] = await reading.rows([ref, ...texts]);
  const known = stateOf<Client | ClientAlias>(row, shell.now());
  const clientAt = async (at: Fingerprint): Promise<Client | undefined> => stateOf<Client>(await reading.row(clientRef(at)), shell.now());
  const other = await heirOf(known?.standing === 'alias' ? await clientAt(known.of) : known, clientAt);
  if (other?.standing === 'banned') return { changes: [], banned: other };
  // A key of its own that another took the place of stays what it is.
  if (known && known.standing !== 'alias' && known.fp !== other?.fp) return { changes: [] };
  if (other && other.fp !== fp) return { changes: [], ...(isUnintroduced(other) && { adopted: other }) };
  const because = `another key of ${fp}`;
  const isFound = known?.standing === 'alias' && known.of === fp;
  const named = texts.flatMap((text, n): PlannedChange[] => {
    if (stateOf(rows[n], shell.now())?.of === fp) return [];
    return [{ ref: text, readRev: rows[n]?.rev ?? 0, decision: write<MinionText, never>({ of: own }, because) }];
  });
  return {
    changes: [...(isFound ? [] : [{ ref, readRev: row?.rev ?? 0, decision: write({ standing: 'alias', of: fp }, because) }]), ...named],
  };
}

/** `room`: where a place was taken for the machine; `of`: the token that it brought, if that exists. */
type Token = {
  readonly outcome: PresentedToken;
  readonly changes: readonly PlannedChange[];
  readonly room?: Room;
  readonly of?: OnboardingToken | undefined;
};

/** The outcome of the onboarding token of a signed knock. Only administrators see why a token is refused. */
async function tokenOf(
  shell: Shell,
  reading: Reading,
  id: string,
  {
    token,
    isSigned,
    source,
    who,
    fp,
    held,
    attempt,
    newId,
  }: Knocking & {
    readonly fp: string;
    readonly held: string | undefined;
    readonly attempt: number;
    readonly newId: () => Promise<ClusterId>;
  },
): Promise<Token | undefined> {
  if (token === undefined) return undefined;
  const refused = (why: string, of?: OnboardingToken): Token => ({ outcome: { refused: why }, changes: [], of });
  if (held !== undefined) return refused(held);
  if (!isSigned) return refused('its knock was not signed');
  const parts = parseSecret(token, 'mot');
  if (typeof parts === 'string') return refused(parts === 'mistyped' ? 'it was mistyped or cut short' : 'it is not an onboarding token');
  const use = { type: 'use', id, secret: parts.secret, source, fqdn: who.fqdn } as const;
  const { count, token: taken } = await countUse(shell, reading, parts.id, { use, fp: who.fp, attempt });
  if (count.decision.does !== 'write') return refused(count.decision.because, taken);
  const { zone, tags, groups, madeBy, createdAt } = taken!;
  if (madeBy && (await hasEndedWithMaker(shell, madeBy, createdAt)))
    return refused('it was revoked with the credential that made it', taken);
  const entry = await enteringZone(shell, reading, zone, clientRef(fp));
  if ('shut' in entry) return refused(entry.shut, taken);
  const room = await roomOf(shell, zone);
  if (!room.take()) return refused(room.because(), taken);
  return {
    room,
    outcome: { accepts: { token: parts.id, zone, tags, groups, clusterId: await newId() } },
    changes: [count, ...entry.changes],
  };
}
