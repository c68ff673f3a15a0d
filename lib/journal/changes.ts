import { type PlannedChange, type Written, write } from '../core/decision.ts';
import { historyForMs } from '../core/history.ts';
import { Fingerprint } from '../core/ids.ts';
import type { Ref } from '../core/ref.ts';
import { plusMs } from '../core/time.ts';
import { isClientRow, ownerOf } from '../ports/table/keys.ts';
import { applyPlan } from '../runtime/apply-plan.ts';
import { commitRowsMax } from '../runtime/commit-size.ts';
import { type Conclusions, envelopesOf, type HistoryEntry, type Recorder } from '../runtime/on-feed.ts';
import type { Shell } from '../runtime/shell.ts';
import { endForMs, type JournalEnd, journalEndRef, journalRef, ofNoZone, rowsForMs } from './journal.ts';
import { type Addition, type Batch, batchesOf, type Entry, type RowLimits, rowAfter } from './plan.ts';
import { zoneOf } from './rows/zone-of.ts';

/**
 * A commit takes the history rows of the events, the row of the journal and the end of its part. A row of 200 KB of
 * JSON stays below the 400 KB that a table takes, however it counts numbers and names.
 */
const limits: RowLimits = { eventsMax: commitRowsMax - 2, bytesMax: 200_000 };

/** An event with its entry in the history of its row. */
type Kept = Entry & { readonly ref: Ref<HistoryEntry>; readonly history: Written<HistoryEntry> };

/** Keeps published events in the histories of their rows, and in the journal of their zones. */
export const recorder: Recorder = {
  zoneOf: ({ key, body }) => zoneOf(ownerOf(key), body),
  keep: async (shell, published) => {
    const additions = published.map((one) => additionOf(one, shell.settings.deployment));
    for (const batch of batchesOf(additions, limits)) await append(shell, batch);
  },
};

function additionOf(row: Conclusions, deployment: string): Addition<Kept> {
  const { key, at, by, because, actor, events, zone = ofNoZone } = row;
  const { noun, id } = ownerOf(key);
  const system = isClientRow(key) ? Fingerprint.safeParse(id).data : undefined;
  const envelopes = envelopesOf({ row }, deployment);
  const entries = events.flatMap(({ seq, type, version, data }, i): Kept[] => {
    const event = envelopes[i];
    if (!event) return [];
    const entry: HistoryEntry = { seq, type, version, at, because, by, ...(actor && { who: actor.who }), data };
    return [
      {
        event,
        bytes: Buffer.byteLength(JSON.stringify(event)),
        system,
        ref: { noun: 'history', id: `${noun}:${id}/${seq}` },
        history: write(entry, because, { expiresAt: plusMs(at, historyForMs) }),
      },
    ];
  });
  return { subject: key.pk, part: zone, entries, system };
}

/**
 * Commits the history of each event, the row of the journal and the end of the part together. An event with a history
 * is in the journal already, and is left out. Throws Later for transient failures and when the part stays busy.
 */
async function append(shell: Shell, { part, entries, systems }: Batch<Kept>): Promise<void> {
  await applyPlan(shell, { id: shell.newId() }, async (reading) => {
    const endRef = journalEndRef(part);
    const [endRow, ...known] = await reading.rows<[JournalEnd, ...HistoryEntry[]]>([endRef, ...entries.map(({ ref }) => ref)]);
    const fresh = entries.filter((_, i) => known[i] === undefined);
    const row = rowAfter(endRow?.body, { entries: fresh, systems }, shell.now());
    if (!row) return { changes: [], because: ['the journal has it already'] };
    const { n, at } = row;
    const because = `row ${n} of the journal of ${part}`;
    const changes: PlannedChange[] = [
      {
        ref: endRef,
        readRev: endRow?.rev ?? 0,
        decision: write({ n, at }, because, { expiresAt: plusMs(at, endForMs) }),
        besides: true,
      },
      { ref: journalRef(part, n), readRev: 0, decision: write(row, because, { expiresAt: plusMs(at, rowsForMs) }), besides: true },
      ...fresh.map(({ ref, history }): PlannedChange => ({ ref, readRev: 0, decision: history, besides: true })),
    ];
    return { changes, because: [because] };
  });
}
