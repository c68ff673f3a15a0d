import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type EpochMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { orNothing } from '../../../../lib/machine/os-name.ts';
import type { DesiredAnswer } from '../../../../lib/nodes/desired/desired.ts';
import { type ClusterMode, makeState, seatFile } from './settings.ts';

/** A seat as Muster's desired state has it. */
type Seat = NonNullable<DesiredAnswer['seat']>;

/**
 * Whether this host is the seat of its zone, on which common content is edited: under which epoch, and until when. An
 * agent that starts knows nothing of it before Muster renews the seat, which it does each minute.
 */
export class SeatHere {
  #seat: Seat | undefined;

  /**
   * Takes the seat of Muster's desired state. Muster's clock may be another: the rest of the time is counted from
   * `askedAt`, when this host has asked, by the `date` header of the answer, which has no fractions of a second.
   */
  desired(seat: Seat | undefined, askedAt: EpochMs, date: string | null): void {
    const theirs = date === null ? Number.NaN : Date.parse(date);
    const until = seat && (Number.isNaN(theirs) ? seat.until : plusMs(askedAt, seat.until - theirs - secondMs));
    this.#seat = seat && until !== undefined ? { epoch: seat.epoch, until } : undefined;
  }

  /** The seat, as long as it is to be open for another `spareMs`; undefined for a host that is none. */
  now(now: EpochMs, spareMs: number): Seat | undefined {
    return this.#seat && this.#seat.until - now > spareMs ? this.#seat : undefined;
  }
}

/** How the agent marks a file that it has made itself: one that an operator has made stays. */
const mark = 'by Muster, epoch';

/**
 * Opens common content for editing while this host is the seat, and locks it afterwards. An operator who has opened it
 * by hand is not contradicted. Returns what was done, in words; undefined where nothing was to be done.
 */
export function followSeat(mode: ClusterMode, seat: Seat | undefined): string | undefined {
  const file = seatFile(mode);
  const is = existsSync(file) ? orNothing(() => readFileSync(file, 'utf8')) : undefined;
  const wanted = seat && `${mark} ${seat.epoch}`;
  if (is === wanted || (is !== undefined && !is.startsWith(mark))) return undefined;
  if (wanted === undefined) {
    rmSync(file, { force: true });
    return 'common content is locked here: it is not edited here any more';
  }
  makeState(mode);
  writeFileSync(file, `${wanted}\n`);
  return is === undefined ? 'common content is open here: this server is the seat of its zone' : undefined;
}
