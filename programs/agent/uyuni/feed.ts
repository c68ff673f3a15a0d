import type { Folder } from '../../../lib/machine/folder.ts';
import { type Batch, batchOf, type Change, headOf } from '../../../lib/uyuni/outbox/batch.ts';
import type { Entry } from '../../../lib/uyuni/outbox/row.ts';
import { outboxBytesMax } from '../../../lib/uyuni/outbox/trigger.ts';
import { type OutboxMemory, readOutboxMemory, writeOutboxMemory } from './memory.ts';
import type { Outbox } from './outbox.ts';

/** What was changed on the server, as it is reported; `seq` counts the reports of `source`. */
export type ChangeReport = { readonly source: string; readonly seq: number; readonly changes: readonly Change[] };
/** What has become of a report: it was taken, it is to be sent again later, or it will never be taken as it is. */
export type Sent = { readonly is: 'taken' } | { readonly is: 'later' } | { readonly is: 'refused'; readonly why: string };

/** What on this host works with the changes beside Muster. */
export type ChangeListener = {
  /** Takes in what was reported, for good, before it is forgotten here. After a crash it may get the same again. */
  changed(changes: readonly Change[]): void;
  /** The server has another database, or this one at an earlier time; that everything may have changed follows. */
  restored(): void;
};

/** What a feed works on. */
export type FeedOptions = {
  readonly folder: Folder;
  connect(): Promise<Outbox>;
  /** Says what a fault of the database is, in words. Throws any other error. */
  inWords(error: unknown): string;
  newSource(): string;
  send(report: ChangeReport): Promise<Sent>;
  readonly listener?: ChangeListener | undefined;
  say(line: string): void;
};

/** What keeps the feed from its work although the database answers, in words. */
class Hindered extends Error {
  override readonly name = 'Hindered';
}

/** The longest reason why a report was refused, in UTF-16 units. */
const whyMax = 400;
/** How many rows to read at a time. */
const rowsAtOnce = 500;
/** An outbox that is empty and still this large is made small. */
const compactBytes = outboxBytesMax / 16;

/**
 * Reports what is in the outbox of a server, in order and each thing once. A report that was taken counts only when its
 * rows are deleted: until then it is sent again under the same number.
 */
export class Feed {
  readonly #options: FeedOptions;
  #outbox: Outbox | undefined;
  #memory: OutboxMemory;
  /** Whether this database was compared with what is remembered of it, since it was connected to. */
  #isKnown = false;
  #trouble = '';
  #isStopped = false;
  #wake = (): void => undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#memory = readOutboxMemory(options.folder, options.newSource);
  }

  /** Has this called whenever something may be there to report. */
  onChange(wake: () => void): void {
    this.#wake = wake;
  }

  /**
   * Reports all that is there, until nothing is left or a report is not taken. It logs a fault of the database once; a
   * later pass reports what was left. Gives how many rows were reported.
   */
  async pass(): Promise<number> {
    const { inWords, say } = this.#options;
    try {
      const done = await this.#drain();
      if (this.#trouble !== '') say('the agent reads the changes of this server again');
      this.#trouble = '';
      return done;
    } catch (error) {
      const words = error instanceof Hindered ? error.message : inWords(error);
      if (words !== this.#trouble) say(`${words}; trying again`);
      this.#trouble = words;
      await this.close();
      return 0;
    }
  }

  /** Ends a pass that is under way at its next step. What was sent meanwhile is as after a crash. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Gives up the connection; the next pass makes another. */
  async close(): Promise<void> {
    const outbox = this.#outbox;
    this.#outbox = undefined;
    this.#isKnown = false;
    if (outbox?.isOpen()) await outbox.close();
  }

  async #drain(): Promise<number> {
    const outbox = await this.#connected();
    if (!this.#isKnown) await this.#compare(outbox);
    const why = this.#memory.emptying ?? ((await outbox.isFull()) ? 'more has changed than the outbox holds' : undefined);
    if (why !== undefined) await this.#empty(outbox, why);
    for (let done = 0; ; ) {
      const batch = this.#memory.pending ?? (await this.#next(outbox));
      if (this.#isStopped) return done;
      if (batch === undefined) {
        await tidy(outbox);
        return done;
      }
      if (!(await this.#report(batch))) return done;
      await outbox.drop(batch.rows);
      this.#remember({ pending: undefined });
      done += batch.rows.length;
    }
  }

  async #connected(): Promise<Outbox> {
    if (this.#outbox?.isOpen()) return this.#outbox;
    this.#isKnown = false;
    const outbox = await this.#options.connect();
    this.#outbox = outbox;
    await outbox.listen(() => this.#wake());
    return outbox;
  }

  /** Empties an outbox that is of another database, or of this one at an earlier time. */
  async #compare(outbox: Outbox): Promise<void> {
    const isSame = await outbox.isInItsDatabase();
    if (isSame === undefined) throw new Hindered('the outbox is not installed in this database: run muster-agent uyuni install');
    const { xid } = this.#memory;
    if (!isSame) {
      this.#options.listener?.restored();
      await this.#empty(outbox, 'this database is a copy, or was restored');
      await outbox.adopt();
    } else if (xid !== undefined && BigInt(xid) >= (await outbox.nextXid())) {
      this.#options.listener?.restored();
      await this.#empty(outbox, 'this database is older than what was read from it');
    }
    this.#isKnown = true;
  }

  /** It takes more than one step. An agent that ends in between does all of them again. */
  async #empty(outbox: Outbox, why: string): Promise<void> {
    this.#remember({ emptying: why, pending: undefined, xid: undefined });
    await outbox.lookAtEverything(why);
    this.#remember({ emptying: undefined });
  }

  /** The next batch, remembered before it is sent. */
  async #next(outbox: Outbox): Promise<Batch | undefined> {
    await outbox.awaitChange();
    const rows = headOf(await outbox.read(rowsAtOnce));
    const folded = batchOf(rows);
    if (folded === undefined) return undefined;
    const batch = { ...folded, changes: await named(outbox, folded.changes) };
    const last = rows.reduce((highest, { xid }) => (BigInt(xid) > highest ? BigInt(xid) : highest), BigInt(this.#memory.xid ?? 0));
    this.#remember({ seq: this.#memory.seq + 1, pending: batch, xid: String(last) });
    return batch;
  }

  /** Whether a batch was taken. One that is refused becomes a look at everything, which loses nothing. */
  async #report({ rows, changes }: Batch): Promise<boolean> {
    const { send, say, listener } = this.#options;
    const { source, seq } = this.#memory;
    const sent = await send({ source, seq, changes });
    if (this.#isStopped) return false;
    if (sent.is === 'taken') listener?.changed(changes);
    if (sent.is !== 'refused') return sent.is === 'taken';
    const why = `a report of changes was refused (${sent.why.slice(0, whyMax)})`;
    if (changes.length === 1 && changes[0]?.kind === 'everything') throw new Hindered(`${why}, although it says no more than “everything”`);
    say(`${why}: everything will be looked at in its place`);
    this.#remember({ seq: seq + 1, pending: { rows, changes: [{ kind: 'everything', why }] } });
    return this.#report(this.#memory.pending ?? { rows, changes });
  }

  #remember(changed: { readonly [K in keyof OutboxMemory]?: OutboxMemory[K] | undefined }): void {
    // Another agent may have this folder by now.
    if (this.#isStopped) return;
    const { pending, emptying, xid, source, seq } = { ...this.#memory, ...changed };
    this.#memory = {
      version: 1,
      source: source ?? this.#memory.source,
      seq: seq ?? this.#memory.seq,
      ...(pending && { pending }),
      ...(emptying !== undefined && { emptying }),
      ...(xid !== undefined && { xid }),
    };
    writeOutboxMemory(this.#options.folder, this.#memory);
  }
}

async function tidy(outbox: Outbox): Promise<void> {
  const { rows, bytes } = await outbox.fill();
  if (rows === 0 && bytes > compactBytes) await outbox.compact();
}

/** The changes, with the names that things have now where their rows have none. */
const named = (outbox: Outbox, changes: readonly Change[]): Promise<Change[]> =>
  Promise.all(
    changes.map(async (change) => {
      const { kind, things } = change;
      if (kind === 'everything' || things === undefined) return change;
      const names = await outbox.namesOf(
        kind,
        things.flatMap(([number, name]) => (name === undefined ? number : [])),
      );
      return { ...change, things: things.map((thing): typeof thing => withName(thing, names)) };
    }),
  );

function withName(thing: Entry, names: ReadonlyMap<number, string>): Entry {
  const [number, known] = thing;
  const name = known ?? names.get(number);
  return name === undefined ? [number] : [number, name];
}
