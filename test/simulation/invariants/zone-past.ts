import { slotOf } from '../../../lib/zones/slots.ts';
import type { Committed } from '../watching.ts';
import { type ZoneState, ZoneTruth } from './zone-truth.ts';

/** Every state that a zone was in, for whoever was answered by a cached one. */
export class ZonePast {
  readonly #truth = new ZoneTruth();
  readonly #states = new Map<string, { readonly at: number; readonly zone: ZoneState }[]>();

  take(changes: readonly Committed[]): void {
    const step = this.#truth.take(changes);
    if (!step) return;
    const states = this.#states.get(step.name) ?? [];
    states.push({ at: step.at, zone: step.after });
    this.#states.set(step.name, states);
  }

  /** As it is now. */
  now = (zone: string): ZoneState | undefined => this.#states.get(zone)?.at(-1)?.zone;

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

/** The index of the node that a map gives a fingerprint to; 0xFFFF nobody. */
export const ownerIn = ({ map, head }: ZoneState, fp: string): number => map.owner[slotOf(fp, head.slots)]!;
