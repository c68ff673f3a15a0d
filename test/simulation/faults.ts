import type { Config, FaultKind } from './config.ts';
import { faultNames } from './config.ts';
import type { Kernel } from './kernel.ts';
import type { Random } from './random.ts';

/** Draws whether a fault happens where it could, and counts those that did. */
export class Faults {
  readonly fired: Record<FaultKind, number>;
  readonly #rates: Readonly<Record<FaultKind, number>>;
  readonly #streams: Readonly<Record<FaultKind, Random>>;
  #healed = false;

  constructor({ faults }: Config, kernel: Kernel) {
    // Every kind is in each of these, so that they are laid out alike: they are asked at every call of a port.
    this.#rates = Object.fromEntries(faultNames.map((kind) => [kind, faults[kind] ?? 0])) as Record<FaultKind, number>;
    this.#streams = Object.fromEntries(faultNames.map((kind) => [kind, kernel.random(`fault ${kind}`)])) as Record<FaultKind, Random>;
    this.fired = Object.fromEntries(faultNames.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  }

  /** Whether faults have ended. */
  get isHealed(): boolean {
    return this.#healed;
  }

  /** Whether this kind is on in this history at all, and not healed yet. */
  isOn = (kind: FaultKind): boolean => !this.#healed && this.#rates[kind] > 0;

  /** Whether the fault happens now; `scale` makes it rarer where there are many chances. */
  hits(kind: FaultKind, scale = 1): boolean {
    if (this.#healed) return false;
    const rate = this.#rates[kind];
    if (rate === 0 || this.#streams[kind]() >= rate * scale) return false;
    this.fired[kind] += 1;
    return true;
  }

  /** A span of ms up to `maxMs`, mostly short; drawn from the fault's own stream. */
  span = (kind: FaultKind, maxMs: number): number => Math.round(maxMs * this.#streams[kind]() ** 3);

  /** A number in [0, 1) of the fault's own stream. */
  draw = (kind: FaultKind): number => this.#streams[kind]();

  /** No fault happens from now on. */
  heal(): void {
    this.#healed = true;
  }
}
