import type { Fingerprint } from '../../../lib/core/ids.ts';
import type { KeyStates } from './keys.ts';
import type { Memory } from './memory.ts';

/** A client system that is here. `appliedAt`: at which revision its metadata was applied here; undefined: not yet. */
export type SystemHere = { readonly fp: Fingerprint; readonly appliedAt: number | undefined };

/**
 * The client systems whose minions this master has accepted and that belong here, for what keeps their metadata. Nobody
 * is here before the first look with a list.
 */
export class SystemsHere {
  readonly #memory: () => Memory;
  readonly #replace: (next: Memory) => void;
  #byMinion: ReadonlyMap<string, Fingerprint> | undefined;
  #fps: ReadonlySet<string> = new Set();
  /** Revisions that were reported since the last look: each would make the memory of all anew. */
  readonly #reported = new Map<Fingerprint, number>();

  /** `replace` takes a memory that is written with the keeper's next pass. */
  constructor(memory: () => Memory, replace: (next: Memory) => void) {
    this.#memory = memory;
    this.#replace = replace;
  }

  look({ accepted }: KeyStates, list: ReadonlySet<string> | undefined): void {
    this.#takeReported();
    const { verdicts } = this.#memory();
    const here = accepted.flatMap(({ id, fp }): [string, Fingerprint][] => {
      const { fp: name, verdict } = verdicts[fp] ?? {};
      return name !== undefined && list && (list.has(name) || verdict === 'accept') ? [[id, name]] : [];
    });
    this.#byMinion = list && new Map(here);
    this.#fps = new Set(here.map(([, name]) => name));
  }

  /** Their minions; undefined while it is not known who is here. */
  minions(): Iterable<string> | undefined {
    return this.#byMinion?.keys();
  }

  has(fp: string): boolean {
    return this.#fps.has(fp);
  }

  find(minion: string): SystemHere | undefined {
    const fp = this.#byMinion?.get(minion);
    if (fp === undefined) return undefined;
    const { applied, revisions } = this.#memory();
    const appliedAt = revisions?.[fp] ?? (applied.includes(fp) ? 0 : undefined);
    const reportedAt = this.#reported.get(fp);
    return { fp, appliedAt: appliedAt !== undefined && reportedAt !== undefined ? Math.max(appliedAt, reportedAt) : appliedAt };
  }

  /** What was reported of a client system made this revision of what was applied here: there is nothing to apply. */
  reported(fp: Fingerprint, revision: number): void {
    this.#reported.set(fp, revision);
  }

  /** Its metadata is no longer on this node's software, and has to be applied again. */
  applyAgain(fp: Fingerprint): void {
    this.#reported.delete(fp);
    const { applied, revisions = {}, ...memory } = this.#memory();
    const { [fp]: _revision, ...others } = revisions;
    this.#replace({ ...memory, applied: applied.filter((one) => one !== fp), revisions: others });
  }
  #takeReported(): void {
    if (this.#reported.size === 0) return;
    const { revisions = {}, ...memory } = this.#memory();
    const applied = new Set<string>(memory.applied);
    const later = [...this.#reported].filter(([fp, revision]) => applied.has(fp) && revision > (revisions[fp] ?? 0));
    this.#replace({ ...memory, revisions: { ...revisions, ...Object.fromEntries(later) } });
    this.#reported.clear();
  }
}
