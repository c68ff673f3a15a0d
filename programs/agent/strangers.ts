import { type EpochMs, minuteMs } from '../../lib/core/time.ts';
import type { SystemsList } from './ledger.ts';
import { unlisted } from './systems.ts';

/**
 * How soon whoever stays is made to knock again: as often as a client system asks whom its node does not see. More
 * often would be noise, for who stays all the same may be no client system of Muster's; never again would be too late
 * for one that was answered by an old map.
 */
const againMs = 15 * minuteMs;

/** Remembers who was made to knock because of a list, and when. */
export class Strangers {
  #version = 0;
  /** Everyone is to knock and has not been made to yet: where the hook failed, the next list is another occasion. */
  #owesEveryone = false;
  readonly #told = new Map<string, EpochMs>();
  #turn = Promise.resolve();

  /**
   * Who is to knock now, in order: those seen and not on the list, without those that were told by this list just
   * before; or all who are seen.
   */
  toTell({ version, systems }: SystemsList, seen: ReadonlySet<string>, { everyone, now }: { everyone: boolean; now: EpochMs }): string[] {
    if (everyone || version !== this.#version) this.#told.clear();
    this.#version = version;
    this.#owesEveryone ||= everyone;
    const due = (fp: string): boolean => now - (this.#told.get(fp) ?? Number.NEGATIVE_INFINITY) >= againMs;
    const fps = (this.#owesEveryone ? [...seen].sort() : unlisted(systems, seen)).filter(due);
    // Whoever comes later was told by this membership.
    if (fps.length === 0) this.#owesEveryone = false;
    return fps;
  }

  /** They, who were to knock, have been made to. */
  told(fps: readonly string[], now: EpochMs): void {
    this.#owesEveryone = false;
    for (const fp of fps) this.#told.set(fp, now);
  }

  /** Does one thing after another. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }
}
