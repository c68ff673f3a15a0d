import { isSame, type PlannedChange, type RowRef, write } from '../../core/decision.ts';
import { Conflict } from '../../core/errors.ts';
import type { Fingerprint } from '../../core/ids.ts';
import { machineIdHash } from '../../core/machine-id.ts';
import { isNoName } from '../../core/no-name.ts';
import type { Ref } from '../../core/ref.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import type { Row } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Beside } from '../../zones/changes/gate.ts';
import { type Client, type ClientAlias, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { type Claim, type Claimed, type ClaimKeys, claimedBy, claims, notedForMs, renewBelowMs, withKey, wordOf } from '../rows/claims.ts';
import type { KnockFacts } from '../rows/command.ts';

/** The keys recorded for a claim, as a plan read them: the record, and the rows of the other keys in it. */
type Note = {
  readonly claim: Claim;
  readonly ref: RowRef;
  readonly row: Row | undefined;
  /** All keys in it, including those of machines that are forgotten. */
  readonly noted: readonly Fingerprint[];
  /** Those that still make the claim, without the key that it is read for. */
  readonly others: ReadonlyMap<Fingerprint, { readonly row: Row; readonly client: Client }>;
};

const noteRef = (claim: Claim, value: string): Ref<ClaimKeys> => ({
  noun: claim,
  id: claim === 'machine-id' ? machineIdHash(value) : value,
});

/** The records of what a machine claims, for a caller that reads those of many at once. */
export const recordsOf = (of: Claimed): Ref<ClaimKeys>[] => recorded(of).map((claim) => noteRef(claim, claimedBy(claim, of)));

/** The claims of a machine that are recorded: no name that names no machine, and no machine id that nobody knows. */
const recorded = ({ machineId, fqdn }: Claimed): readonly Claim[] =>
  claims.filter((claim) => (claim === 'system-name' ? !isNoName(fqdn) : machineId !== ''));

/**
 * The claims of a machine as a knock makes them. `before`: the keys of known machines that made each first. `changes`:
 * the changes to the records and to the rows of those keys.
 */
export type RecordedClaims = {
  readonly before: Readonly<Record<Claim, readonly Fingerprint[]>>;
  /** `isForEver`: the key is accepted, and its records never expire. */
  readonly changes: (isForEver: boolean) => PlannedChange[];
};

/**
 * Records what a machine claims in its knock, in the commit that stores the knock: a concurrent knock cannot record the
 * same claim without seeing this key. Writes one row for each claim that no other key makes. If the key is new to a
 * claim, the keys that share it are informed; so are those with which it shared the one before. A name that names no
 * machine is shared by any number, and is not recorded; neither is a machine id that nobody knows.
 */
export async function recordClaims(
  shell: Shell,
  reading: Reading,
  who: Claimed & Pick<KnockFacts, 'fp'>,
  known: Client | undefined,
): Promise<RecordedClaims> {
  const notes = (await readNotes(shell, reading, who, who.fp)).map((note) => ({ note, ...joinedBy(note, who, known) }));
  const isOther = known !== undefined && claims.some((claim) => claimedBy(claim, known) !== claimedBy(claim, who));
  const left = isOther ? await readLeft(shell, reading, known, who) : [];
  // A row may share several claims: it is written once, with all that it is informed of.
  const informed = new Informed(shell.now());
  for (const { note, news } of notes) informed.take(note, news);
  for (const note of left) informed.take(note, { after: [], gone: [who.fp] });
  const beforeBy = (claim: Claim) => notes.find(({ note }) => note.claim === claim)?.before ?? [];
  const without = ({ noted }: Note): Fingerprint[] => noted.filter((one) => one !== who.fp);
  return {
    before: { 'machine-id': beforeBy('machine-id'), 'system-name': beforeBy('system-name') },
    changes: (isForEver) => [
      ...notes.flatMap(({ note, keys }) => noteChange(shell, note, keys, isForEver)),
      ...informed.changes,
      ...left.flatMap((note) => noteChange(shell, note, without(note), false)),
    ],
  };
}

type News = { readonly after: readonly Fingerprint[]; readonly gone: readonly Fingerprint[] };

/** What a claim is once a machine makes it: the keys in their order, those before it, and what the others hear. */
function joinedBy({ claim, noted, others }: Note, who: Claimed & Pick<KnockFacts, 'fp'>, known: Client | undefined) {
  // A machine that was forgotten meanwhile returns as the last key with the claim, whatever its place was before.
  const isKnown = known !== undefined && claimedBy(claim, known) === claimedBy(claim, who);
  const living = noted.filter((one) => others.has(one) || (one === who.fp && isKnown));
  const { keys, before } = withKey(living, who.fp);
  const isNew = keys.includes(who.fp) && !living.includes(who.fp);
  const news: News = isNew ? { after: [who.fp], gone: noted.filter((one) => !living.includes(one)) } : { after: [], gone: [] };
  return { keys, before, news };
}

/** The records of a machine's claims. */
async function readNotes(shell: Shell, reading: Reading, of: Claimed, fp: Fingerprint): Promise<Note[]> {
  const wanted = recorded(of);
  const rows = await reading.rows(wanted.map((claim) => noteRef(claim, claimedBy(claim, of))));
  const notes = wanted.map((claim, n) => ({ claim, row: rows[n], noted: stateOf(rows[n], shell.now())?.keys ?? [] }));
  const keys = [...new Set(notes.flatMap(({ noted }) => noted))].filter((one) => one !== fp);
  const found = await reading.rows(keys.map((one): RowRef => clientRef(one)));
  const clients = found.flatMap((row) => {
    const client = stateOf<Client | ClientAlias>(row, shell.now());
    return row && client && client.standing !== 'alias' ? [{ row, client }] : [];
  });
  return notes.map((note): Note => {
    const value = claimedBy(note.claim, of);
    const others = clients.filter(({ client }) => note.noted.includes(client.fp) && claimedBy(note.claim, client) === value);
    return { ...note, ref: noteRef(note.claim, value), others: new Map(others.map((one) => [one.client.fp, one])) };
  });
}

/** The records that a machine leaves, because it claims something else now. */
async function readLeft(shell: Shell, reading: Reading, known: Client, is: Claimed): Promise<Note[]> {
  const notes = await readNotes(shell, reading, known, known.fp);
  return notes.filter(({ claim, noted }) => claimedBy(claim, known) !== claimedBy(claim, is) && noted.includes(known.fp));
}

/** The record with these keys; no change when it has them and lasts long enough. */
function noteChange(shell: Shell, { claim, ref, row, noted }: Note, keys: readonly Fingerprint[], isForEver: boolean): PlannedChange[] {
  const now = shell.now();
  const until = row && stateOf(row, now) !== undefined ? row.expiresAt : now;
  const lasts = until === undefined || (!isForEver && until >= now + renewBelowMs);
  if (lasts && isSame(keys, noted)) return [];
  const isPermanent = keys.length > 0 && (isForEver || until === undefined);
  const expires = isPermanent ? {} : { expiresAt: plusMs(now, notedForMs) };
  const decision = write<ClaimKeys, never>({ keys: [...keys] }, `keys that report this ${wordOf[claim]}: ${keys.length}`, expires);
  return [{ ref, readRev: row?.rev ?? 0, decision }];
}

/** The rows of other keys that are informed of what became of the claims that they share. */
class Informed {
  readonly #now: EpochMs;
  readonly #rows = new Map<Fingerprint, { readonly row: Row; readonly client: Client; readonly decision: PlannedChange['decision'] }>();

  constructor(now: EpochMs) {
    this.#now = now;
  }

  /** Informs the keys of a claim of a new key that makes it, and of keys that no longer do. */
  take({ claim, others }: Note, { after, gone }: News): void {
    if (after.length + gone.length === 0) return;
    for (const { row, client } of others.values()) {
      const known = this.#rows.get(client.fp)?.client ?? client;
      const decision = decide(known, { type: 'share-claim', id: row.by, claim, after, gone }, this.#now);
      if (decision.does === 'write') this.#rows.set(client.fp, { row, client: decision.next, decision });
    }
  }

  get changes(): PlannedChange[] {
    return [...this.#rows].map(([fp, { row, decision }]) => ({ ref: clientRef(fp), readRev: row.rev, decision }));
  }
}

/** The keys that made the claims of a machine before it, without one that it takes the place of. */
export async function claimedBefore(
  shell: Shell,
  reading: Reading,
  who: Claimed & Pick<KnockFacts, 'fp'>,
  gone: Fingerprint,
): Promise<Record<Claim, Fingerprint[]>> {
  const notes = await readNotes(shell, reading, who, who.fp);
  const others = (claim: Claim): Fingerprint[] => {
    const note = notes.find((one) => one.claim === claim);
    return note?.noted.filter((fp) => fp !== gone && note.others.has(fp)) ?? [];
  };
  return { 'machine-id': others('machine-id'), 'system-name': others('system-name') };
}

/**
 * What changes beside a key that takes the place of another: the records of its claims name it for ever, and no longer
 * the other. Those that share them hear of it.
 */
export async function inheritClaims(shell: Shell, reading: Reading, old: Client, heir: Client): Promise<PlannedChange[]> {
  const informed = new Informed(shell.now());
  const notes = await readNotes(shell, reading, heir, old.fp);
  const left = await readLeft(shell, reading, old, heir);
  const changes = notes.flatMap((note) => {
    const { noted } = note;
    const others = new Map([...note.others].filter(([fp]) => fp !== heir.fp));
    const after = noted.includes(heir.fp) ? [] : [heir.fp];
    if (noted.includes(old.fp) || after.length > 0) informed.take({ ...note, others }, { after, gone: [old.fp] });
    const { keys } = withKey(
      noted.filter((fp) => fp !== old.fp),
      heir.fp,
    );
    return noteChange(shell, note, keys, true);
  });
  for (const note of left) informed.take(note, { after: [], gone: [old.fp] });
  const without = left.flatMap((note) =>
    noteChange(
      shell,
      note,
      note.noted.filter((fp) => fp !== old.fp),
      false,
    ),
  );
  return [...changes, ...without, ...informed.changes].map((change) => ({ ...change, besides: true }));
}

/**
 * Records permanently the machine id of a key that is about to be accepted. The audit does not attribute this to the
 * caller, because the machine reported it.
 */
export async function keepMachineId({ actor: _caller, ...shell }: Shell, { fp, machineId }: Client): Promise<void> {
  await apply<ClaimKeys, { readonly id: string }>(shell, noteRef('machine-id', machineId), { id: shell.newId() }, (note) => {
    const { keys } = withKey(note?.keys ?? [], fp);
    return write<ClaimKeys, never>({ keys: [...keys] }, 'a key that reports it is being accepted');
  });
}

/**
 * Records permanently the name of a key, in the commit that accepts it. Throws {@link Conflict} if the machine has been
 * given another name since it was read.
 */
export const keptName = ({ now }: Pick<Shell, 'now'>, { fp, fqdn }: Client): Beside<Client> => ({
  refs: isNoName(fqdn) ? [] : [noteRef('system-name', fqdn)],
  changes: ([row], next) => {
    if (next.fqdn !== fqdn) throw new Conflict(`client ${fp}`, 'its name has changed');
    if (isNoName(fqdn)) return [];
    const noted = stateOf<ClaimKeys>(row, now());
    const { keys } = withKey(noted?.keys ?? [], fp);
    if (noted && row?.expiresAt === undefined && isSame(keys, noted.keys)) return [];
    const decision = write<ClaimKeys, never>({ keys: [...keys] }, 'a key that reports it is accepted');
    return [{ ref: noteRef('system-name', fqdn), readRev: row?.rev ?? 0, decision, besides: true }];
  },
});
