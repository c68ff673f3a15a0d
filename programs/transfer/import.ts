import { MusterError } from '../../lib/core/errors.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { FeedImage, Row } from '../../lib/ports/table/table.ts';
import type { WaitingMessage, WholeTarget } from '../../lib/ports/table/whole.ts';
import type { Entry } from './format.ts';
import { markerKey, markerOf } from './marker.ts';
import { readExport, type Whole } from './read.ts';

/** The target of an import, and its options. */
export type Importing = {
  readonly target: WholeTarget;
  /** Whether the content of the target may be removed. */
  readonly replaces: boolean;
  /** Whether earlier tokens stay valid, which requires that the keys that signed them are moved as well. */
  readonly sameEpoch: boolean;
  /**
   * The fate of waiting messages. A table has no place for them, and reports among them are left out only on request.
   */
  readonly messages: 'stored' | 'refused' | 'left out';
  /** Stores the name that machines sign for, where it is not among the rows. */
  readonly keepName: (deployment: string) => void;
  readonly where: string;
};

/** How many entries are stored at once. */
const atOnce = 200;

/**
 * Reads a file to its end before anything is changed. Throws the errors of {@link readExport}, and a MusterError
 * `import.messages` for reports that would be lost.
 */
export const checked = (file: string, messages: Importing['messages']): Promise<Whole> => readExport(file, { entry: refusing(messages) });

/**
 * Stores all of a file that was {@link checked}. An interruption leaves the marker, or the earlier content; the same
 * import succeeds when it is repeated. Throws a MusterError: `import.not-empty` for a target that holds something,
 * `export.damaged` when the file was changed since.
 */
export async function importFrom(file: string, whole: Whole, importing: Importing, at: EpochMs): Promise<void> {
  const { target, replaces, where, keepName } = importing;
  const isUnfinished = (await target.read(markerKey)) !== undefined;
  if (!isUnfinished && !replaces && (await target.holdsMoreThan(markerKey)))
    throw new MusterError('import.not-empty', `${where} holds a deployment already: import into an empty place`, 'never');
  await target.begin(markerOf(whole, at));
  const storing = storer(importing);
  const again = await readExport(file, { entry: storing.take });
  if (again.sha256 !== whole.sha256) throw new MusterError('export.damaged', 'the file was changed while it was read', 'never');
  await storing.flush();
  await target.commit(whole.header.feedLast);
  keepName(whole.header.deployment);
  await target.settle(markerKey);
}

/**
 * Refuses reports where they would be lost. Heartbeats come again within seconds, and the sweep sends its own messages.
 */
const refusing =
  (messages: Importing['messages']) =>
  async (entry: Entry): Promise<void> => {
    if (messages !== 'refused' || entry.is !== 'message' || entry.message.queue !== 'reports') return;
    throw new MusterError('import.messages', 'reports wait in the file, and a table has no place for them', 'never');
  };

/** Gathers entries of a kind and stores them together; the kinds come one after the other, and stay in that order. */
function storer({ target, sameEpoch, messages }: Importing) {
  let gathered: Entry[] = [];
  const flush = async (): Promise<void> => {
    const [entries, first] = [gathered, gathered[0]];
    gathered = [];
    if (first === undefined) return;
    if (first.is === 'image') await target.storeImages(entries.map((entry) => (entry as { image: FeedImage }).image));
    else if (first.is === 'row') await target.storeRows(entries.map((entry) => restored((entry as { row: Row }).row, sameEpoch)));
    else if (messages === 'stored') await target.storeMessages(entries.map((entry) => (entry as { message: WaitingMessage }).message));
  };
  const take = async (entry: Entry): Promise<void> => {
    if (gathered.length === atOnce || (gathered[0] && gathered[0].is !== entry.is)) await flush();
    gathered.push(entry);
  };
  return { take, flush };
}

/** A token holds its zone's epoch in 16 bits. */
const epochs = 2 ** 16;

/**
 * The row as it is stored. The head of a zone gets the next epoch, so that tokens from before end: they may reflect
 * assignments, revocations and bans after the export, which the imported deployment does not know. For the same reason
 * cluster ids and numbers of actions continue further on. This is no commit of the deployment: revisions and numbers of
 * events stay.
 */
export function restored(row: Row, sameEpoch: boolean): Row {
  if (sameEpoch) return row;
  const { epoch, next } = (row.body ?? {}) as { readonly epoch?: unknown; readonly next?: unknown };
  if (isZoneHead(row) && typeof epoch === 'number') return changed(row, { epoch: (epoch + 1) % epochs });
  return countsNumbers(row) && typeof next === 'number' ? changed(row, { next: next + idsPassedOver }) : row;
}

const changed = (row: Row, parts: object): Row => ({ ...row, body: { ...(row.body as object), ...parts } });

/**
 * The ids that an import passes over, of 647 million: more than a deployment gives in months. Tools may know the ids
 * that were given after the export, and a script must not meet another machine, or action, under one of them.
 */
const idsPassedOver = 1_000_000;

const isZoneHead = ({ key: { pk, sk } }: Row): boolean => sk === headSort && pk.startsWith(zonePrefix);
const { pk: zonePrefix, sk: headSort } = keyOf({ noun: 'zone', id: '' });
const countsNumbers = ({ key: { sk } }: Row): boolean => countingSorts.has(sk);
const countingSorts: ReadonlySet<string> = new Set(['cluster-ids', 'action-numbers'].map((noun) => keyOf({ noun, id: '' }).sk));
