import * as z from 'zod';
import { secondMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { type Moment, sinceMs } from '../moment.ts';

/**
 * What a station is answered with each heartbeat: for how long from that call on its word counts, in ms, the highest
 * epoch of its zone, and whether that is its own.
 */
export type StationAnswer = { readonly leaseMs: number; readonly epoch: number; readonly coordinates: boolean };

/** What the right to act on site is kept with. */
export type CoordinatorOptions = { readonly folder: Folder; clocks(): Moment };

const file = 'coordinator.json';
const Kept = z.strictObject({ version: z.literal(1), epoch: z.int().nonnegative() });

/**
 * The right of this host to act on site. It ends by itself, by whichever clock says so first, when no heartbeat was
 * acknowledged for as long as a lease is good: Muster has another act a tenth later. The highest epoch that was ever
 * heard is on disk, so that nothing older is done by anybody here.
 */
export class SiteCoordinator {
  readonly #options: CoordinatorOptions;
  #highest: number;
  #right: { readonly epoch: number; readonly from: Moment; readonly leaseMs: number } | undefined;

  /** It has no right before the first heartbeat that is answered. */
  constructor(options: CoordinatorOptions) {
    this.#options = options;
    this.#highest = readEpoch(options.folder);
  }

  /** The highest epoch that this host ever heard of. */
  get highest(): number {
    return this.#highest;
  }

  /** The moment of a call, for {@link answered}. */
  sentAt(): Moment {
    return this.#options.clocks();
  }

  /**
   * Takes what a heartbeat was answered that went out then; undefined of a Muster that says nothing of it, or could
   * not.
   */
  answered(answer: StationAnswer | undefined, sentAt: Moment): void {
    if (!answer) return;
    const { epoch, leaseMs, coordinates } = answer;
    if (epoch > this.#highest) {
      this.#highest = epoch;
      this.#options.folder.write(file, `${JSON.stringify({ version: 1, epoch })}\n`);
    }
    this.#right = coordinates && epoch === this.#highest ? { epoch, from: sentAt, leaseMs } : undefined;
  }

  /** The epoch under which this host acts now; undefined while it must not. */
  acts(): number | undefined {
    return this.#leftMs() > 0 ? this.#right!.epoch : undefined;
  }

  /** What there is to say of it, and whether it acts. */
  status(): { readonly acts: boolean; readonly says: string } {
    const leftMs = this.#leftMs();
    if (leftMs > 0)
      return { acts: true, says: `acts under epoch ${this.#right!.epoch}, for ${Math.floor(leftMs / secondMs)} s more unless it is heard` };
    const why = this.#right ? 'no heartbeat was acknowledged in time' : 'it was not told to';
    return { acts: false, says: `does not act: ${why}; the last epoch is ${this.#highest}` };
  }

  #leftMs(): number {
    if (!this.#right) return 0;
    const { from, leaseMs } = this.#right;
    return leaseMs - sinceMs(from, this.#options.clocks());
  }
}

/** What cannot be read is as if nothing was heard: the next answer says it again, and before that there is no right. */
function readEpoch(folder: Folder): number {
  try {
    return Kept.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.epoch ?? 0;
  } catch {
    return 0;
  }
}
