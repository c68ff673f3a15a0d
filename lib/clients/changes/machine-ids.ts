import { isSame, type PlannedChange, type RowRef, write } from '../../core/decision.ts';
import type { Fingerprint } from '../../core/ids.ts';
import { machineIdHash } from '../../core/machine-id.ts';
import { plusMs } from '../../core/time.ts';
import type { Row } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Client, type ClientAlias, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import type { KnockFacts } from '../rows/command.ts';
import { type MachineIdKeys, notedForMs, renewBelowMs, withKey } from '../rows/machine-id.ts';

/** What is noted of a machine id, as a plan read it: the note, and the rows of the other keys in it. */
type Note = {
  readonly ref: RowRef;
  readonly row: Row | undefined;
  /** All keys in it, also of machines that are forgotten. */
  readonly noted: readonly Fingerprint[];
  /** Those that say it still, without the one that it is read for. */
  readonly others: ReadonlyMap<Fingerprint, { readonly row: Row; readonly client: Client }>;
};

const noteOf = (machineId: string): RowRef => ({ noun: 'machine-id', id: machineIdHash(machineId) });
const clientOf = (fp: string): RowRef => clientRef(fp);

/**
 * A machine id as a knock says it. `before`: keys that said it first, of machines that are known; `changes`: what
 * becomes of the note and of them.
 */
export type Said = {
  readonly before: readonly Fingerprint[];
  /** `isForEver`: the key is accepted, and its note never expires. */
  readonly changes: (isForEver: boolean) => PlannedChange[];
};

/**
 * Notes the machine id that a knock says, in the commit that keeps the knock: nobody else can note the same one
 * meanwhile without seeing this key. One row where it is the only one that says it; those who share it with a key that
 * is new here learn of it, and those with whom it shared another one, too.
 */
export async function sayMachineId(shell: Shell, reading: Reading, who: KnockFacts, known: Client | undefined): Promise<Said> {
  const { fp, machineId } = who;
  const note = await readNote(shell, reading, machineId, fp);
  const living = note.noted.filter((one) => one === fp || note.others.has(one));
  const { keys, before } = withKey(living, fp);
  const isNew = keys.includes(fp) && !note.noted.includes(fp);
  const left = known && known.machineId !== machineId ? await leave(shell, reading, known) : [];
  const gone = note.noted.filter((one) => !living.includes(one));
  const told = isNew ? shared(shell, note, { after: [fp], gone }) : [];
  return { before, changes: (isForEver) => [...noteChange(shell, note, keys, isForEver), ...told, ...left] };
}

async function readNote(shell: Shell, reading: Reading, machineId: string, fp: Fingerprint): Promise<Note> {
  const ref = noteOf(machineId);
  const row = await reading.row(ref);
  const noted = stateOf<MachineIdKeys>(row, shell.now())?.keys ?? [];
  const rows = await reading.rows(noted.filter((one) => one !== fp).map(clientOf));
  const there = rows.flatMap((other) => {
    const client = stateOf<Client | ClientAlias>(other, shell.now());
    return client && client.standing !== 'alias' && client.machineId === machineId ? [{ row: other!, client }] : [];
  });
  return { ref, row, noted, others: new Map(there.map((other) => [other.client.fp, other])) };
}

/** The note with these keys; no change when it says so and lasts. */
function noteChange(shell: Shell, { ref, row, noted }: Note, keys: readonly Fingerprint[], isForEver: boolean): PlannedChange[] {
  const now = shell.now();
  const until = stateOf(row, now) === undefined ? now : row!.expiresAt;
  const lasts = until === undefined || (!isForEver && until >= now + renewBelowMs);
  if (lasts && isSame(keys, noted)) return [];
  const isKept = keys.length > 0 && (isForEver || until === undefined);
  const expires = isKept ? {} : { expiresAt: plusMs(now, notedForMs) };
  const decision = write<MachineIdKeys, never>({ keys: [...keys] }, `${keys.length} of the keys that say it`, expires);
  return [{ ref, readRev: row?.rev ?? 0, decision }];
}

/** Those who share a machine id are told of a key that says it from now on, and of keys that do so no more. */
const shared = (shell: Shell, { others }: Note, news: { readonly after: Fingerprint[]; readonly gone: Fingerprint[] }): PlannedChange[] =>
  [...others.values()].flatMap(({ row, client }) => {
    const decision = decide(client, { type: 'share-machine-id', id: row.by, ...news }, shell.now());
    return decision.does === 'write' ? [{ ref: clientOf(client.fp), readRev: row.rev, decision }] : [];
  });

/** A machine was given another machine id: it is no longer among those that say the one it had. */
async function leave(shell: Shell, reading: Reading, { fp, machineId }: Client): Promise<PlannedChange[]> {
  const note = await readNote(shell, reading, machineId, fp);
  if (!note.noted.includes(fp)) return [];
  const keys = note.noted.filter((one) => one !== fp);
  return [...noteChange(shell, note, keys, false), ...shared(shell, note, { after: [], gone: [fp] })];
}

/**
 * Notes for ever the machine id of a key that is about to be accepted. Not put down to whoever accepts it: it is what
 * the machine says.
 */
export async function keepMachineId({ actor: _caller, ...shell }: Shell, { fp, machineId }: Client): Promise<void> {
  await apply<MachineIdKeys, { readonly id: string }>(shell, noteOf(machineId), { id: shell.newId() }, (note) => {
    const { keys } = withKey(note?.keys ?? [], fp);
    return write<MachineIdKeys, never>({ keys: [...keys] }, 'a key that says it is accepted');
  });
}
