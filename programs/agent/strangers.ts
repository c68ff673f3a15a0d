import { type EpochMs, minuteMs } from '../../lib/core/time.ts';
import type { SystemsList } from './ledger.ts';
import { unlisted } from './systems.ts';

/**
 * How soon a client system that stays must knock again: as often as one that its node does not see asks by itself. A
 * shorter time makes noise, because it may not be a client system of Muster. Without a repeat, one that was answered by
 * an old map would stay.
 */
const againMs = 15 * minuteMs;

/** Remembers which client systems were made to knock because of a list, and when. */
export class Strangers {
  #version = 0;
  /** All must knock and have not been made to yet: where the hook failed, the next list is another occasion. */
  #owesEveryone = false;
  readonly #told = new Map<string, EpochMs>();
  #turn = Promise.resolve();

  /**
   * The client systems that must knock now, in order: those seen and not on the list, or all that are seen. Leaves out
   * those that were made to knock just before under the same list.
   */
  toMakeKnock(
    { version, systems }: SystemsList,
    seen: ReadonlySet<string>,
    { everyone, now }: { everyone: boolean; now: EpochMs },
  ): string[] {
    if (everyone || version !== this.#version) this.#told.clear();
    this.#version = version;
    this.#owesEveryone ||= everyone;
    const due = (fp: string): boolean => now - (this.#told.get(fp) ?? Number.NEGATIVE_INFINITY) >= againMs;
    const fps = (this.#owesEveryone ? [...seen].sort() : unlisted(systems, seen)).filter(due);
    // A client system that comes later was assigned under this membership.
    if (fps.length === 0) this.#owesEveryone = false;
    return fps;
  }

  /** Notes that these client systems have been made to knock. */
  madeToKnock(fps: readonly string[], now: EpochMs): void {
    this.#owesEveryone = false;
    for (const fp of fps) this.#told.set(fp, now);
  }

  /** Runs one piece of work after another. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }
}
