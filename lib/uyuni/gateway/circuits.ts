/** When a node is given up, and for how long. `failures` in a row open its circuit, for `openMs`. */
export type CircuitLimits = { readonly failures: number; readonly openMs: number };

/**
 * Three failures in a row: one may be a connection that broke, two a restart. For 15 s, about as long as it takes to
 * restart the web server of a node.
 */
export const circuitLimits: CircuitLimits = { failures: 3, openMs: 15_000 };

/** `isTried`: the call that is to find out is under way. */
type Circuit = { failures: number; openUntil?: number; isTried: boolean };

/** Which nodes are not waited for, as they have just failed: after a while one call tries again. */
export class Circuits {
  readonly #now: () => number;
  readonly #limits: CircuitLimits;
  readonly #of = new Map<string, Circuit>();

  constructor(now: () => number, limits: CircuitLimits = circuitLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  /** Whether a node is asked. After it was given up for a while, the first call to ask is the one that tries. */
  mayCall(node: string): boolean {
    const circuit = this.#of.get(node);
    if (circuit?.openUntil === undefined) return true;
    if (this.#now() < circuit.openUntil) return false;
    circuit.openUntil = this.#now() + this.#limits.openMs;
    circuit.isTried = true;
    return true;
  }

  /** Whether a node is asked as any other is; changes nothing. */
  isClosed(node: string): boolean {
    return this.#of.get(node)?.openUntil === undefined;
  }

  succeeded(node: string): void {
    this.#of.delete(node);
  }

  /** A call has ended that tells nothing about its node: if it was the one that tried, the next one tries. */
  unsettled(node: string): void {
    const circuit = this.#of.get(node);
    if (!circuit?.isTried) return;
    circuit.isTried = false;
    circuit.openUntil = this.#now();
  }

  failed(node: string): void {
    const circuit = this.#of.get(node) ?? { failures: 0, isTried: false };
    circuit.failures++;
    circuit.isTried = false;
    if (circuit.failures >= this.#limits.failures) circuit.openUntil = this.#now() + this.#limits.openMs;
    this.#of.set(node, circuit);
  }
}
