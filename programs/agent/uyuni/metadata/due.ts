import * as z from 'zod';
import { type EpochMs, hourMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import type { Change } from '../../../../lib/uyuni/outbox/batch.ts';

const dueFile = 'uyuni-due.json';
const File = z.strictObject({ version: z.literal(1), everyone: z.boolean(), minions: z.array(z.string()) });

/** How often the list is written at most, but for what has changed: that of 15,000 systems has half a megabyte. */
const writeEveryMs = 10 * secondMs;

/** The wait before a system is looked at again that could not be reported: 20 s, doubled each time, an hour at most. */
const backoff = { firstMs: 20 * secondMs, mostMs: hourMs } as const;
type Delayed = { readonly failures: number; readonly notBefore: EpochMs };

/**
 * The systems whose documents are to be looked at, by their minions, in the order in which they changed. They are on
 * disk before the change that named them is forgotten; one too many costs a look.
 */
export class Due {
  readonly #folder: Folder;
  readonly #minions: Set<string>;
  /** The one that was taken, which is on disk until it is done. */
  #underWay: string | undefined;
  readonly #delayed = new Map<string, Delayed>();
  /** Everyone is due who is here, once it is known who that is. */
  #everyone: boolean;
  #isWritten = true;
  #writtenAt = 0 as EpochMs;

  constructor(folder: Folder) {
    const { everyone, minions } = read(folder);
    this.#folder = folder;
    this.#minions = new Set(minions);
    this.#everyone = everyone;
  }

  /** Takes in what has changed on the server, and writes it down. */
  changed(changes: readonly Change[]): void {
    for (const { kind, things } of changes) {
      if (kind === 'everything' || (kind === 'system' && things === undefined)) this.#everyone = true;
      if (kind === 'system') for (const [, name] of things ?? []) if (name !== undefined) this.add(name);
      if (kind === 'everything' || kind === 'system') this.#isWritten = false;
    }
    this.write(this.#writtenAt, true);
  }

  /** One system is due, at once. */
  add(minion: string): void {
    this.#delayed.delete(minion);
    if (this.#minions.has(minion)) return;
    this.#minions.add(minion);
    this.#isWritten = false;
  }

  /** Names everyone who is here, where everyone is due. */
  expand(here: Iterable<string>): void {
    if (!this.#everyone) return;
    for (const minion of here) this.add(minion);
    this.#everyone = false;
    this.#isWritten = false;
  }

  /** Takes the next one; undefined when none is due now. */
  next(now: EpochMs): string | undefined {
    for (const minion of this.#minions) {
      if ((this.#delayed.get(minion)?.notBefore ?? now) > now) continue;
      this.#minions.delete(minion);
      this.#underWay = minion;
      this.#isWritten = false;
      return minion;
    }
    return undefined;
  }

  /** Puts one back that could not be done, for later. */
  delay(minion: string, now: EpochMs): void {
    // It has changed again meanwhile.
    if (this.#minions.has(minion)) return;
    const failures = (this.#delayed.get(minion)?.failures ?? 0) + 1;
    const waitMs = Math.min(backoff.mostMs, backoff.firstMs * 2 ** (failures - 1));
    this.#delayed.set(minion, { failures, notBefore: plusMs(now, waitMs) });
    this.#minions.add(minion);
    this.#isWritten = false;
  }

  /** Puts one back that was not looked at. */
  restore(minion: string): void {
    this.#minions.add(minion);
  }

  /** One was done. */
  done(minion: string): void {
    this.#underWay = undefined;
    if (!this.#minions.has(minion)) this.#delayed.delete(minion);
  }

  /** Writes who is due, if that has changed since; not more than once in ten seconds unless it must be now. */
  write(now: EpochMs, isNow = false): void {
    if (this.#isWritten || (!isNow && now - this.#writtenAt < writeEveryMs)) return;
    this.#writtenAt = now;
    const minions = [...new Set([...(this.#underWay === undefined ? [] : [this.#underWay]), ...this.#minions])];
    const text = JSON.stringify({ version: 1, everyone: this.#everyone, minions });
    this.#folder.write(dueFile, `${text}\n`);
    this.#isWritten = true;
  }
}

/** Who was due when the agent ended; everyone where that cannot be read. */
function read(folder: Folder): Omit<z.infer<typeof File>, 'version'> {
  const text = folder.read(dueFile);
  if (text === undefined) return { everyone: true, minions: [] };
  try {
    const file = File.safeParse(JSON.parse(text));
    return file.success ? file.data : { everyone: true, minions: [] };
  } catch (error) {
    if (error instanceof SyntaxError) return { everyone: true, minions: [] };
    throw error;
  }
}
