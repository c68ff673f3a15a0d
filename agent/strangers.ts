import type { SystemsList } from './ledger.ts';
import { unlisted } from './systems.ts';

/** Remembers who was made to knock because of a list: each once, for who stays all the same is no client system of Muster's. */
export class Strangers {
  #version = 0;
  readonly #told = new Set<string>();
  #turn = Promise.resolve();

  /** Who is to knock now, in order: those seen and not on the list, without those that were told by this list before; or all who are seen. */
  toTell({ version, systems }: SystemsList, seen: ReadonlySet<string>, everyone: boolean): string[] {
    if (everyone || version !== this.#version) this.#told.clear();
    this.#version = version;
    return (everyone ? [...seen].sort() : unlisted(systems, seen)).filter((fp) => !this.#told.has(fp));
  }

  /** They have been made to. */
  told(fps: readonly string[]): void {
    for (const fp of fps) this.#told.add(fp);
  }

  /** Does one thing after another. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }
}
