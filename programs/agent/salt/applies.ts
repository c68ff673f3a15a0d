import type { Fingerprint } from '../../../lib/core/ids.ts';
import { type EpochMs, hourMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { KeyStates } from './keys.ts';
import type { Memory } from './memory.ts';
import { appliesDue } from './plan.ts';

/** The metadata of one client system from Muster: its documents by kind. */
export type Handed = { readonly revision: number; readonly metadata: Readonly<Record<string, unknown>> };
/** How a hook ended. `isDown`: the software of the node is away, so that nobody's metadata can be applied now. */
export type Hooked = Ran | { readonly ok: false; readonly why: string; readonly isDown: true };
/** Applies the metadata of one client system to the node. */
export type MetadataHook = (handed: { readonly fingerprint: Fingerprint; readonly minion: string } & Handed) => Promise<Hooked>;
/** Reads the documents of a client system from Muster; fails where Muster no longer has them for this node. */
export type ReadsMetadata = (fp: Fingerprint) => Promise<{ readonly ok: true; readonly handed: Handed } | (Ran & { readonly ok: false })>;

type AppliesOptions = { readonly world: World; say(line: string): void; applied(fp: Fingerprint, revision: number): void };

/** The wait after a failure: 20 s at first, doubled each time, an hour at most. */
const backoff = { firstMs: 20 * secondMs, mostMs: hourMs } as const;

type Failed = { readonly failures: number; readonly notBefore: EpochMs };

/**
 * Runs the metadata hook once for each client system that came here and once for each newer revision, one after
 * another. The management of keys does not wait for it.
 */
export class Applies {
  readonly #hook: MetadataHook;
  readonly #with: AppliesOptions;
  readonly #failed = new Map<string, Failed>();
  #running = Promise.resolve();
  #isRunning = false;

  /** Calls `applied` for each that succeeded. */
  constructor(hook: MetadataHook, options: AppliesOptions) {
    this.#hook = hook;
    this.#with = options;
  }

  /** Takes the client systems that are here now, and starts a run for those that need it, unless one is under way. */
  offer(keys: KeyStates, memory: Memory, list: ReadonlySet<string> | undefined, readMetadata: ReadsMetadata): void {
    if (this.#isRunning) return;
    const now = this.#with.world.now();
    const due = appliesDue(keys, memory, list).filter(({ fp }) => (this.#failed.get(fp)?.notBefore ?? now) <= now);
    this.#isRunning = due.length > 0;
    if (this.#isRunning) this.#running = this.#run(due, readMetadata);
  }

  /** Resolves once no run is under way. */
  idle(): Promise<void> {
    return this.#running;
  }

  async #run(due: readonly { fp: Fingerprint; id: string }[], asks: ReadsMetadata): Promise<void> {
    const { world, say, applied } = this.#with;
    for (const { fp, id } of due) {
      const asked = await asks(fp);
      const ran = asked.ok ? await this.#hook({ fingerprint: fp, minion: id, ...asked.handed }) : asked;
      if (asked.ok && ran.ok) {
        this.#failed.delete(fp);
        applied(fp, asked.handed.revision);
        say(`applied the metadata of ${id} (${fp.slice(0, 16)})`);
        continue;
      }
      // The hook has logged that the software is down. The next offer, seconds later, tries again.
      if (!ran.ok && 'isDown' in ran) break;
      const failures = (this.#failed.get(fp)?.failures ?? 0) + 1;
      const waitMs = Math.min(backoff.mostMs, backoff.firstMs * 2 ** (failures - 1));
      this.#failed.set(fp, { failures, notBefore: plusMs(world.now(), waitMs) });
      if (ran.ok) continue;
      say(`the metadata hook failed for ${id} (${ran.why}); trying again in ${Math.round(waitMs / secondMs)} s`);
    }
    this.#isRunning = false;
  }
}
