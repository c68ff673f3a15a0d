import { MusterError } from '../../lib/core/errors.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { FeedImage, Row } from '../../lib/ports/table/table.ts';
import type { WaitingMessage, WholeTarget } from '../../lib/ports/table/whole.ts';
import type { Entry } from './format.ts';
import { markerKey, markerOf } from './marker.ts';
import { readExport, type Whole } from './read.ts';

/** How an import goes. */
export type Importing = {
  readonly target: WholeTarget;
  /** Whether what the target holds may be removed. */
  readonly replaces: boolean;
  /** Tokens of before stay good, which they do only where the keys that signed them are moved as well. */
  readonly sameEpoch: boolean;
  /**
   * What becomes of messages that wait: a table has no place for them, and reports among them are left out only when
   * somebody says so.
   */
  readonly messages: 'stored' | 'refused' | 'left out';
  /** What machines sign for, where it is kept beside the rows. */
  readonly keepName: (deployment: string) => void;
  readonly where: string;
};

/** How many entries are stored at once. */
const atOnce = 200;

/**
 * Reads a file to its end, before anything is touched. Throws a MusterError: what {@link readExport} throws,
 * `import.messages` for reports that would be lost.
 */
export const checked = (file: string, messages: Importing['messages']): Promise<Whole> => readExport(file, { entry: refusing(messages) });

/**
 * Stores all of a file that was {@link checked}. Whatever breaks it off leaves the marker, or what was there before;
 * the same import again then goes through. Throws a MusterError: `import.not-empty` for a target that holds something,
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

/** A heartbeat comes again within seconds, and the sweep sends its own; a report that nobody carries over is lost. */
const refusing =
  (messages: Importing['messages']) =>
  async (entry: Entry): Promise<void> => {
    if (messages !== 'refused' || entry.is !== 'message' || entry.message.queue !== 'reports') return;
    throw new MusterError('import.messages', 'reports wait in the file, and a table has no place for them', 'never');
  };

/** Gathers entries of a kind and stores them together; the kinds come one after the other, and stay so. */
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
 * The row as it goes on. The head of a zone is of the next epoch, so that no token speaks of what was assigned, revoked
 * or banned after the export, and is forgotten now. That is no commit of the deployment: revisions and numbers of
 * events stay.
 */
export function restored(row: Row, sameEpoch: boolean): Row {
  const { epoch } = (row.body ?? {}) as { readonly epoch?: unknown };
  if (sameEpoch || !isZoneHead(row) || typeof epoch !== 'number') return row;
  return { ...row, body: { ...(row.body as object), epoch: (epoch + 1) % epochs } };
}

const isZoneHead = ({ key: { pk, sk } }: Row): boolean => sk === headSort && pk.startsWith(zonePrefix);
const { pk: zonePrefix, sk: headSort } = keyOf({ noun: 'zone', id: '' });
