import { endpointOf, endpointParts, segmentMax } from '../../../core/endpoint.ts';
import { type Fid, type FidType, fidOf } from '../../../core/fid.ts';

/**
 * What is in use in a storage cluster: fids, endpoints, and the values of variables on each node. What is taken from it
 * is not given back.
 */
export class Taken {
  #lastKey: number;
  readonly #endpoints: Set<string>;
  readonly #values: Map<string, Map<string, Set<string>>>;
  /** Where the last search from an endpoint ended: all before it was found in use. */
  readonly #searched = new Map<string, number>();

  /**
   * A cluster whose last fid had this number, with these endpoints; without anything a new one, whose root has number
   * 0.
   */
  constructor(lastKey = 0, endpoints: Iterable<string> = []) {
    this.#lastKey = lastKey;
    this.#endpoints = new Set(endpoints);
    this.#values = new Map();
  }

  /** The number that a fid was given last. */
  get lastKey(): number {
    return this.#lastKey;
  }

  /** The next fid of the cluster. */
  fid(type: FidType): Fid {
    this.#lastKey += 1;
    return fidOf(type, this.#lastKey);
  }

  /**
   * The endpoint as configured or, while a process of the cluster holds the same one, with 1 more as its last segment.
   * Undefined when there is none up to 65,535.
   */
  endpoint(configured: string): string | undefined {
    const parts = endpointParts(configured);
    if (!parts) return undefined;
    for (let segment = this.#searched.get(configured) ?? parts.segment; segment <= segmentMax; segment++) {
      const endpoint = endpointOf({ ...parts, segment });
      if (this.#endpoints.has(endpoint)) continue;
      this.#endpoints.add(endpoint);
      this.#searched.set(configured, segment + 1);
      return endpoint;
    }
    this.#searched.set(configured, segmentMax + 1);
    return undefined;
  }

  /** Says that a variable has this value on a node. */
  hold(node: string, variable: string, value: string): void {
    this.#valuesOf(node, variable).add(value);
  }

  /** The first value of a range that this variable has nowhere on the node; undefined when all are in use. */
  firstFree(node: string, variable: string, [low, high]: readonly [number, number]): string | undefined {
    const used = this.#valuesOf(node, variable);
    for (let value = low; value <= high; value++) {
      if (used.has(String(value))) continue;
      used.add(String(value));
      return String(value);
    }
    return undefined;
  }

  #valuesOf(node: string, variable: string): Set<string> {
    const ofNode = this.#values.get(node) ?? new Map<string, Set<string>>();
    this.#values.set(node, ofNode);
    const used = ofNode.get(variable) ?? new Set<string>();
    ofNode.set(variable, used);
    return used;
  }
}
