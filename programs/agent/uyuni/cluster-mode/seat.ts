import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { secondMs } from '../../../../lib/core/time.ts';
import { orNothing } from '../../../../lib/machine/os-name.ts';
import type { DesiredAnswer } from '../../../../lib/nodes/desired/desired.ts';
import { type Moment, sinceMs } from '../../moment.ts';
import { type ClusterMode, makeState, seatFile } from './settings.ts';

/** A seat as Muster's desired state has it. */
type Seat = NonNullable<DesiredAnswer['seat']>;

/**
 * Whether this host is the seat of its zone, on which common content is edited: under which epoch, and for how long. An
 * agent that starts knows nothing of it before Muster renews the seat, which it does each minute.
 */
export class SeatHere {
  readonly #clocks: () => Moment;
  /** Hears when this host has become the seat, or is it no more, by what Muster said. */
  heard: (() => void) | undefined;
  #seat: { readonly epoch: number; readonly from: Moment; readonly forMs: number } | undefined;

  /** No seat, by these clocks. */
  constructor(clocks: () => Moment) {
    this.#clocks = clocks;
  }

  /** The moment of a call, for {@link SeatHere.desired}. */
  askedAt = (): Moment => this.#clocks();

  /**
   * Takes the seat of Muster's desired state, which this host has asked for at this moment. Muster's clock may be
   * another: the rest of the time is that from the `date` header of the answer on, which has no fractions of a second.
   * Without that header nothing is open.
   */
  desired(seat: Seat | undefined, from: Moment, date: string | null): void {
    const forMs = seat && date !== null ? seat.until - Date.parse(date) - secondMs : Number.NaN;
    const before = this.#seat?.epoch;
    this.#seat = seat && !Number.isNaN(forMs) ? { epoch: seat.epoch, from, forMs } : undefined;
    if (this.#seat?.epoch !== before) this.heard?.();
  }

  /** The epoch of the seat, as long as it is to be open for another `spareMs`; undefined for a host that is none. */
  now(spareMs: number): number | undefined {
    const seat = this.#seat;
    return seat && seat.forMs - sinceMs(seat.from, this.#clocks()) > spareMs ? seat.epoch : undefined;
  }
}

/** How the agent marks a file that it has made itself: one that an operator has made stays. */
const mark = 'by Muster, epoch';

/**
 * Opens common content for editing while this host is the seat, in this epoch, and locks it afterwards. An operator who
 * has opened it by hand is not contradicted. Returns what was done, in words; undefined where nothing was to be done.
 */
export function followSeat(mode: ClusterMode, epoch: number | undefined): string | undefined {
  const file = seatFile(mode);
  const is = existsSync(file) ? orNothing(() => readFileSync(file, 'utf8')) : undefined;
  const wanted = epoch === undefined ? undefined : `${mark} ${epoch}`;
  if (is === wanted || (is !== undefined && !is.startsWith(mark))) return undefined;
  if (wanted === undefined) {
    rmSync(file, { force: true });
    return 'common content is locked here: it is not edited here any more';
  }
  makeState(mode);
  writeFileSync(file, `${wanted}\n`);
  return is === undefined ? 'common content is open here: this server is the seat of its zone' : undefined;
}
