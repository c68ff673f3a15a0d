import type { Folder } from '../../../lib/machine/folder.ts';
import { type Batch, batchOf, type Change, headOf } from '../../../lib/uyuni/outbox/batch.ts';
import { channel } from '../../../lib/uyuni/outbox/names.ts';
import { outboxBytesMax } from '../../../lib/uyuni/outbox/trigger.ts';
import { isInItsDatabase } from './examine.ts';
import { type OutboxMemory, readOutboxMemory, writeOutboxMemory } from './memory.ts';
import { adopt, awaitChange, compact, dropRows, fillOf, isFull, lookAtEverything, nextXid, readRows } from './outbox.ts';
import type { DatabaseAddress } from './rhn-conf.ts';
import type { Session } from './session.ts';
import { troubleOf } from './trouble.ts';

/** What was changed on the server, as it is reported; `seq` counts the reports of this agent. */
export type ChangeReport = { readonly seq: number; readonly changes: readonly Change[] };
/** What has become of a report: it was taken, it is to be sent again later, or it will never be taken as it is. */
export type Sent = { readonly is: 'taken' } | { readonly is: 'later' } | { readonly is: 'refused'; readonly why: string };

/** What a feed works on. */
export type FeedOptions = {
  readonly address: DatabaseAddress;
  readonly folder: Folder;
  connect(address: DatabaseAddress): Promise<Session>;
  send(report: ChangeReport): Promise<Sent>;
  say(line: string): void;
};

/** What keeps the feed from its work although the database answers, in words. */
class Hindered extends Error {
  override readonly name = 'Hindered';
}

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
  #session: Session | undefined;
  #memory: OutboxMemory;
  /** Whether this database was compared with what is remembered of it, since it was connected to. */
  #isKnown = false;
  #trouble = '';
  #wake = (): void => undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#memory = readOutboxMemory(options.folder);
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
    const { address, say } = this.#options;
    try {
      const done = await this.#drain();
      if (this.#trouble !== '') say('the agent reads the changes of this server again');
      this.#trouble = '';
      return done;
    } catch (error) {
      const words = error instanceof Hindered ? error.message : troubleOf(error, address).words;
      if (words !== this.#trouble) say(`${words}; trying again`);
      this.#trouble = words;
      await this.close();
      return 0;
    }
  }

  /** Gives up the connection; the next pass makes another. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#isKnown = false;
    if (session?.isOpen()) await session.close();
  }

  async #drain(): Promise<number> {
    const session = await this.#connected();
    if (!this.#isKnown) await this.#compare(session);
    const why = this.#memory.emptying ?? ((await isFull(session)) ? 'more has changed than the outbox holds' : undefined);
    if (why !== undefined) await this.#empty(session, why);
    for (let done = 0; ; ) {
      const batch = this.#memory.pending ?? (await this.#next(session));
      if (batch === undefined) {
        await this.#tidy(session);
        return done;
      }
      if (!(await this.#report(batch))) return done;
      await dropRows(session, batch.rows);
      this.#remember({ pending: undefined });
      done += batch.rows.length;
    }
  }

  async #connected(): Promise<Session> {
    if (this.#session?.isOpen()) return this.#session;
    const { connect, address } = this.#options;
    this.#isKnown = false;
    const session = await connect(address);
    this.#session = session;
    await session.listen(channel, () => this.#wake());
    return session;
  }

  /** Empties an outbox that is of another database, or of this one at an earlier time. */
  async #compare(session: Session): Promise<void> {
    const isSame = await isInItsDatabase(session);
    if (isSame === undefined) throw new Hindered('the outbox is not installed in this database: run muster-agent uyuni install');
    const { xid } = this.#memory;
    if (!isSame) {
      await this.#empty(session, 'this database is a copy, or was restored');
      await adopt(session);
    } else if (xid !== undefined && BigInt(xid) >= (await nextXid(session))) {
      await this.#empty(session, 'this database is older than what was read from it');
    }
    this.#isKnown = true;
  }

  /** It takes more than one step. An agent that ends in between does all of them again. */
  async #empty(session: Session, why: string): Promise<void> {
    this.#remember({ emptying: why, pending: undefined, xid: undefined });
    await lookAtEverything(session, why);
    this.#remember({ emptying: undefined });
  }

  /** The next batch, remembered before it is sent. */
  async #next(session: Session): Promise<Batch | undefined> {
    await awaitChange(session);
    const rows = headOf(await readRows(session, rowsAtOnce));
    const batch = batchOf(rows);
    if (batch === undefined) return undefined;
    const last = rows.reduce((highest, { xid }) => (BigInt(xid) > highest ? BigInt(xid) : highest), BigInt(this.#memory.xid ?? 0));
    this.#remember({ seq: this.#memory.seq + 1, pending: batch, xid: String(last) });
    return batch;
  }

  /** Whether a batch was taken. One that is refused becomes a look at everything, which loses nothing. */
  async #report({ rows, changes }: Batch): Promise<boolean> {
    const { send, say } = this.#options;
    const sent = await send({ seq: this.#memory.seq, changes });
    if (sent.is !== 'refused') return sent.is === 'taken';
    const why = `a report of changes was refused (${sent.why})`;
    if (changes.length === 1 && changes[0]?.kind === 'everything') throw new Hindered(`${why}, although it says no more than “everything”`);
    say(`${why}: everything will be looked at in its place`);
    this.#remember({ seq: this.#memory.seq + 1, pending: { rows, changes: [{ kind: 'everything', why }] } });
    return this.#report(this.#memory.pending ?? { rows, changes });
  }

  async #tidy(session: Session): Promise<void> {
    const { rows, bytes } = await fillOf(session);
    if (rows === 0 && bytes > compactBytes) await compact(session);
  }

  #remember(changed: { readonly [K in keyof OutboxMemory]?: OutboxMemory[K] | undefined }): void {
    const { pending, emptying, xid, seq = 0 } = { ...this.#memory, ...changed };
    this.#memory = {
      version: 1,
      seq,
      ...(pending && { pending }),
      ...(emptying !== undefined && { emptying }),
      ...(xid !== undefined && { xid }),
    };
    writeOutboxMemory(this.#options.folder, this.#memory);
  }
}
