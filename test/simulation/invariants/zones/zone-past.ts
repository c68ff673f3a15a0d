import { slotOf } from '../../../../lib/zones/map/rows/slots.ts';
import type { Committed } from '../../watching.ts';
import type { Pin } from '../client-past.ts';
import { pinsIn, type ZoneState, ZoneTruth } from './zone-truth.ts';

/** Every state that a zone was in, for whoever was answered by a cached one. */
export class ZonePast {
  readonly #truth = new ZoneTruth();
  readonly #states = new Map<string, { readonly at: number; readonly zone: ZoneState }[]>();

  take(changes: readonly Committed[]): void {
    const step = this.#truth.take(changes);
    if (!step) {
      this.#takePins(changes);
      return;
    }
    const states = this.#states.get(step.name) ?? [];
    states.push({ at: step.at, zone: step.after });
    this.#states.set(step.name, states);
  }

  /** Pins that change by themselves: the head stays as it is. */
  #takePins(changes: readonly Committed[]): void {
    const pins = pinsIn(changes);
    const row = changes.find(({ after }) => after.key.sk.startsWith('pins#'));
    const name = row && decodeURIComponent(row.after.key.pk.slice('zone#'.length));
    const states = name === undefined ? undefined : this.#states.get(name);
    const last = states?.at(-1);
    if (!pins || !row || !last || name === undefined) return;
    const zone = { ...last.zone, pins };
    this.#truth.zones.set(name, zone);
    states!.push({ at: row.at, zone });
  }

  /** As it is now. */
  now = (zone: string): ZoneState | undefined => this.#states.get(zone)?.at(-1)?.zone;

  /** Since when a zone has had this index. */
  hasHad = (zone: string, index: number): number | undefined =>
    this.#states.get(zone)?.find(({ zone: { members } }) => members[index] !== undefined)?.at;

  /** The states that it was in at some moment from then to then, the newest first. */
  between(zone: string, from: number, to: number): ZoneState[] {
    const states = this.#states.get(zone) ?? [];
    const found: ZoneState[] = [];
    for (let n = states.length - 1; n >= 0; n--) {
      const state = states[n]!;
      if (state.at <= to) found.push(state.zone);
      if (state.at < from) break;
    }
    return found;
  }
}

/** The index of the node that a fingerprint belongs to, by its pin or by the map; 0xFFFF nobody. */
export function ownerIn({ map, head, pins }: ZoneState, fp: string, pin?: Pin): number {
  const isAway = pin !== undefined && pins?.get(pin.index)?.awayAt !== undefined;
  return !pin || (!pin.hard && isAway) ? map.owner[slotOf(fp, head.slots)]! : nodeOfPin({ pins }, pin);
}

/** The index that the node of a pin has now. */
export const nodeOfPin = ({ pins }: Pick<ZoneState, 'pins'>, { index }: Pick<Pin, 'index'>): number => pins?.get(index)?.to ?? index;
