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

/** The keys recorded for a machine id, as a plan read them: the record, and the rows of the other keys in it. */
type Note = {
  readonly ref: RowRef;
  readonly row: Row | undefined;
  /** All keys in it, including those of machines that are forgotten. */
  readonly noted: readonly Fingerprint[];
  /** Those that still report it, without the key that it is read for. */
  readonly others: ReadonlyMap<Fingerprint, { readonly row: Row; readonly client: Client }>;
};

const noteOf = (machineId: string): RowRef => ({ noun: 'machine-id', id: machineIdHash(machineId) });
const clientOf = (fp: string): RowRef => clientRef(fp);

/**
 * A machine id as a knock reports it. `before`: the keys of known machines that reported it first. `changes`: the
 * changes to the record and to the rows of those keys.
 */
export type ReportedMachineId = {
  readonly before: readonly Fingerprint[];
  /** `isForEver`: the key is accepted, and its record never expires. */
  readonly changes: (isForEver: boolean) => PlannedChange[];
};

/**
 * Records the machine id of a knock, in the commit that stores the knock: a concurrent knock cannot record the same one
 * without seeing this key. Writes one row if no other key reports it. If the key is new here, the keys that share the
 * machine id are informed; so are those with which it shared its previous one.
 */
export async function recordMachineId(
  shell: Shell,
  reading: Reading,
  who: KnockFacts,
  known: Client | undefined,
): Promise<ReportedMachineId> {
  const { fp, machineId } = who;
  const note = await readNote(shell, reading, machineId, fp);
  // A machine that was forgotten meanwhile returns as the last key that reports the id, whatever its place was before.
  const isKnown = known?.machineId === machineId;
  const living = note.noted.filter((one) => note.others.has(one) || (one === fp && isKnown));
  const { keys, before } = withKey(living, fp);
  const isNew = keys.includes(fp) && !living.includes(fp);
  const left = known && known.machineId !== machineId ? await leave(shell, reading, known) : [];
  const gone = note.noted.filter((one) => !living.includes(one));
  const informed = isNew ? shared(shell, note, { after: [fp], gone }) : [];
  return { before, changes: (isForEver) => [...noteChange(shell, note, keys, isForEver), ...informed, ...left] };
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

/** The record with these keys; no change when it has them and lasts long enough. */
function noteChange(shell: Shell, { ref, row, noted }: Note, keys: readonly Fingerprint[], isForEver: boolean): PlannedChange[] {
  const now = shell.now();
  const until = stateOf(row, now) === undefined ? now : row!.expiresAt;
  const lasts = until === undefined || (!isForEver && until >= now + renewBelowMs);
  if (lasts && isSame(keys, noted)) return [];
  const isPermanent = keys.length > 0 && (isForEver || until === undefined);
  const expires = isPermanent ? {} : { expiresAt: plusMs(now, notedForMs) };
  const decision = write<MachineIdKeys, never>({ keys: [...keys] }, `keys that report this machine id: ${keys.length}`, expires);
  return [{ ref, readRev: row?.rev ?? 0, decision }];
}

/** Informs the keys that share a machine id of a new key that reports it, and of keys that no longer do. */
const shared = (shell: Shell, { others }: Note, news: { readonly after: Fingerprint[]; readonly gone: Fingerprint[] }): PlannedChange[] =>
  [...others.values()].flatMap(({ row, client }) => {
    const decision = decide(client, { type: 'share-machine-id', id: row.by, ...news }, shell.now());
    return decision.does === 'write' ? [{ ref: clientOf(client.fp), readRev: row.rev, decision }] : [];
  });

/** The machine id of a machine changed: removes it from the keys that report the previous one. */
async function leave(shell: Shell, reading: Reading, { fp, machineId }: Client): Promise<PlannedChange[]> {
  const note = await readNote(shell, reading, machineId, fp);
  if (!note.noted.includes(fp)) return [];
  const keys = note.noted.filter((one) => one !== fp);
  return [...noteChange(shell, note, keys, false), ...shared(shell, note, { after: [], gone: [fp] })];
}

/**
 * Records permanently the machine id of a key that is about to be accepted. The audit does not attribute this to the
 * caller, because the machine reported it.
 */
export async function keepMachineId({ actor: _caller, ...shell }: Shell, { fp, machineId }: Client): Promise<void> {
  await apply<MachineIdKeys, { readonly id: string }>(shell, noteOf(machineId), { id: shell.newId() }, (note) => {
    const { keys } = withKey(note?.keys ?? [], fp);
    return write<MachineIdKeys, never>({ keys: [...keys] }, 'a key that reports it is being accepted');
  });
}
