import { Conflict, Later } from '../../../lib/core/errors.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { TooLarge } from '../../../lib/ports/table/limits.ts';
import { type MemoryTable, memoryTable } from '../../../lib/ports/table/memory.ts';
import { type Change, isEmitted, type Key, nameOf, type Row, type Table } from '../../../lib/ports/table/table.ts';
import { restored } from '../../../programs/transfer/import.ts';
import type { Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Faults } from '../faults.ts';
import type { Kernel } from '../kernel.ts';
import type { Committed, Watcher } from '../watching.ts';

/** How long an index may stand still, in ms: longer than any cache lives and any lease lasts. */
const lagMaxMs = 10 * 60_000;

/**
 * By how much a reading that may be late is late at the most, in ms: as a rule it is milliseconds, and nobody promises
 * anything.
 */
export const lateMaxMs = 3_000;

type Around = {
  readonly config: Pick<Config, 'planRows'>;
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly watch: Required<Watcher>;
};

/**
 * The one table of a world: rows, and beside them the indexes, which may stand still while the rows go on. It refuses
 * what DynamoDB refuses, because it is the table in memory; each environment reaches it through a port with faults of
 * its own.
 */
export class Store {
  readonly rows: MemoryTable = memoryTable();
  /** The rows as the indexes have them: those of the table itself where nothing ever holds the indexes up. */
  readonly #indexes: MemoryTable;
  readonly #held: Row[] = [];
  /** What each row was before its last commit, and when that was. */
  readonly #before = new Map<string, { readonly row: Row | undefined; readonly at: EpochMs }>();
  /** Until when the indexes stand still, or last stood still. */
  heldUntil = 0;
  readonly #around: Around;
  /** Hears that the feed has grown. */
  onFeed = (): void => undefined;

  constructor(around: Around) {
    this.#around = around;
    this.#indexes = around.faults.isOn('index-lag') ? memoryTable() : this.rows;
  }

  /** The table as one environment reaches it. */
  portOf(environment: Environment): Table {
    const { faults, watch } = this.#around;
    const by = environment.name;
    const asked = <T>(label: string, does: () => Promise<T>, escapes = false): Promise<T> =>
      environment.ask(label, async () => {
        if ((environment.cursed && !escapes) || faults.hits('throttle', 0.3)) throw new Later('service.busy', `${label}: throttled`);
        return does();
      });
    const seen = (keys: readonly Key[], rows: readonly (Row | undefined)[]): void => {
      for (const [n, key] of keys.entries()) watch.read(by, key, rows[n]);
    };
    return {
      meter: this.rows.meter,
      // What a message that fails whatever is tried would be put aside in can be read.
      read: (key) =>
        asked(
          `reads ${key.pk}|${key.sk}`,
          async () => {
            const row = await this.rows.read(key);
            seen([key], [row]);
            return row;
          },
          isDead(key),
        ),
      readMany: (keys, how) =>
        asked(`reads ${keys.length} rows from ${keys[0]?.pk}`, async () => {
          const now = await this.rows.readMany(keys, how);
          const rows = how === 'lately' ? now.map((row, n) => (environment.random() < 0.3 ? this.#lately(keys[n]!, row) : row)) : now;
          seen(keys, rows);
          return rows;
        }),
      query: (query) =>
        asked(`queries ${query.pk}`, async () => {
          const page = await this.rows.query(query);
          seen(
            page.items.map(({ key }) => key),
            page.items,
          );
          return page;
        }),
      queryIndex: (query) => asked(`queries ${query.index} ${query.pk}`, () => this.#indexes.queryIndex(query)),
      due: (shard, now, limit) => asked(`asks what is due in ${shard}`, () => this.#indexes.due(shard, now, limit)),
      // A message that fails whatever is tried can mostly still be put aside.
      commit: (changes) =>
        asked(`commits ${labelOf(changes)}`, () => this.#commit(by, changes), isAside(changes) && faults.draw('dead-letter') < 0.7),
    };
  }

  /** The table as nobody has it: without latency and faults, for what was there before the history began. */
  get calm(): Table {
    return {
      ...this.rows,
      commit: async (changes) => {
        await this.rows.commit(changes);
        if (this.#indexes !== this.rows) await this.#indexes.commit(changes);
        const made = changes.flatMap((change) => ('put' in change ? [this.rows.rows.get(nameOf(change.put.key))!] : []));
        this.#around.watch.committed(made.map((after) => ({ at: after.at, by: 'before', before: undefined, after })));
      },
    };
  }

  /** Time to live removes what may be removed by now. */
  async expire(now: EpochMs): Promise<void> {
    await this.rows.removeExpired(now, Number.MAX_SAFE_INTEGER);
    await this.#catchUp();
    await this.#indexes.removeExpired(now, Number.MAX_SAFE_INTEGER);
  }

  /**
   * The deployment comes back from its export, each row as an import stores it. That is no commit: rows change where
   * they stand, and nobody is at work.
   */
  restore(): void {
    for (const row of this.rows.rows.values()) {
      const next = restored(row, false);
      if (next !== row) Object.assign(row.body as object, next.body);
    }
    this.#around.watch.restored(this.#around.kernel.now);
  }

  async #commit(by: string, changes: readonly Change[]): Promise<void> {
    const { config, faults, kernel, watch } = this.#around;
    refuseLarge(changes, config.planRows);
    const [first] = changes.map((change) => ('put' in change ? change.put.key : change.check));
    if (faults.hits('conflict', 0.3)) throw new Conflict(`${first?.pk}|${first?.sk}`, 'another is writing it');
    const puts = changes.flatMap((change) => ('put' in change ? [change.put.key] : []));
    const before = puts.map((key) => this.rows.rows.get(nameOf(key)));
    await this.rows.commit(changes);
    const committed = puts.map((key, n): Committed => ({ at: kernel.now, by, before: before[n], after: this.rows.rows.get(nameOf(key))! }));
    for (const { before: row, after } of committed) this.#before.set(nameOf(after.key), { row, at: kernel.now });
    for (const { after } of committed) kernel.note(`${after.key.pk}|${after.key.sk} is at rev ${after.rev}: ${after.because}`);
    watch.committed(committed);
    await this.#index(committed.map(({ after }) => after));
    if (committed.some(({ after }) => isEmitted(after))) this.onFeed();
    if (!faults.hits('lost-answer', 0.3)) return;
    // The client library may have sent again, and met its own commit.
    if (faults.draw('lost-answer') < 0.5) throw new Conflict(`${first?.pk}|${first?.sk}`, 'it has moved since');
    throw new Later('service.busy', 'commit: no answer');
  }

  /** A row as a reading that may be late has it: before its last commit, where that was not long ago. */
  #lately(key: Key, row: Row | undefined): Row | undefined {
    const last = this.#before.get(nameOf(key));
    return last && this.#around.kernel.now - last.at < lateMaxMs ? last.row : row;
  }

  /** The indexes follow, at once or once they move again. */
  async #index(rows: readonly Row[]): Promise<void> {
    const { faults, kernel } = this.#around;
    if (this.#indexes === this.rows) return;
    this.#held.push(...rows);
    if (kernel.now < this.heldUntil) return;
    if (faults.hits('index-lag', 0.2)) {
      const lagMs = faults.span('index-lag', lagMaxMs);
      this.heldUntil = kernel.now + lagMs;
      kernel.after(lagMs, 'the indexes catch up', () => void this.#catchUp());
      return;
    }
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    for (const row of this.#held.splice(0)) {
      const { rev, ...put } = row;
      await this.#indexes.commit([{ put, readRev: rev - 1 }]);
    }
  }
}

/** Plans of zones are refused as the table refuses what is too large, where the world lets them have fewer rows. */
function refuseLarge(changes: readonly Change[], rowsMax = Number.POSITIVE_INFINITY): void {
  const isPlan = changes.some((change) => 'put' in change && change.put.by.startsWith('plan-'));
  if (isPlan && changes.length > rowsMax) throw new TooLarge(`a plan takes 1 to ${rowsMax} changes, this one has ${changes.length}`);
}

const isDead = ({ pk }: Key): boolean => pk.startsWith('dead#');
const isAside = ([first]: readonly Change[]): boolean => first !== undefined && 'put' in first && isDead(first.put.key);

const labelOf = (changes: readonly Change[]): string =>
  changes.map((change) => ('put' in change ? `${change.put.key.pk}|${change.put.key.sk}` : `(${change.check.pk})`)).join(', ');
