import * as z from 'zod';
import { secondMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { type Moment, sinceMs } from '../moment.ts';

/**
 * The answer to a station's heartbeat: how long its report counts from that call on, in ms, the highest epoch of its
 * zone, and whether that epoch is its own.
 */
export type StationAnswer = { readonly leaseMs: number; readonly epoch: number; readonly coordinates: boolean };

/** The options of the right to act on site. */
export type CoordinatorOptions = { readonly folder: Folder; clocks(): Moment };

const file = 'coordinator.json';
const Stored = z.strictObject({ version: z.literal(1), epoch: z.int().nonnegative() });

/**
 * The right of this host to act on site. It ends by itself when no heartbeat was acknowledged for the length of a
 * lease, by the clock that measures more. Muster lets another host act a tenth later. The highest epoch ever heard is
 * on disk, so that this host carries out nothing older.
 */
export class SiteCoordinator {
  readonly #options: CoordinatorOptions;
  #highest: number;
  #right: { readonly epoch: number; readonly from: Moment; readonly leaseMs: number } | undefined;

  /** Without the right until the first heartbeat is answered. */
  constructor(options: CoordinatorOptions) {
    this.#options = options;
    this.#highest = readEpoch(options.folder);
  }

  /** The highest epoch that this host has ever heard of. */
  get highest(): number {
    return this.#highest;
  }

  /** The moment of a call, for {@link answered}. */
  sentAt(): Moment {
    return this.#options.clocks();
  }

  /** Takes the answer to a heartbeat sent at this moment; undefined where the answer has no part about the station. */
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

  /** Its status in words, and whether it acts. */
  status(): { readonly acts: boolean; readonly says: string } {
    const leftMs = this.#leftMs();
    if (leftMs > 0)
      return {
        acts: true,
        says: `acts under epoch ${this.#right!.epoch}, for ${Math.floor(leftMs / secondMs)} s more unless Muster answers a heartbeat`,
      };
    const why = this.#right ? 'no heartbeat was acknowledged in time' : 'it is not the coordinator';
    return { acts: false, says: `does not act: ${why}; the last epoch is ${this.#highest}` };
  }

  #leftMs(): number {
    if (!this.#right) return 0;
    const { from, leaseMs } = this.#right;
    return leaseMs - sinceMs(from, this.#options.clocks());
  }
}

/** The stored epoch; 0 where it cannot be read, since the next answer names it again and gives no right before that. */
function readEpoch(folder: Folder): number {
  try {
    return Stored.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.epoch ?? 0;
  } catch {
    return 0;
  }
}
