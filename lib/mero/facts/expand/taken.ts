import { endpointOf, endpointParts, segmentMax } from '../../../core/endpoint.ts';
import { type Fid, type FidType, fidOf } from '../../../core/fid.ts';

/**
 * The things in use in a storage cluster: fids, endpoints, and the values of variables on each node. Nothing that was
 * taken is given back.
 */
export class Taken {
  #lastKey: number;
  readonly #endpoints: Set<string>;
  readonly #values: Map<string, Map<string, Set<string>>>;
  /** The end of the last search from each endpoint: all before it was found in use. */
  readonly #searched = new Map<string, number>();

  /** A cluster whose last fid had this number, with these endpoints; by default a new one, whose root has number 0. */
  constructor(lastKey = 0, endpoints: Iterable<string> = []) {
    this.#lastKey = lastKey;
    this.#endpoints = new Set(endpoints);
    this.#values = new Map();
  }

  /** The number of the last fid. */
  get lastKey(): number {
    return this.#lastKey;
  }

  /** The next fid of the cluster. */
  fid(type: FidType): Fid {
    this.#lastKey += 1;
    return fidOf(type, this.#lastKey);
  }

  /**
   * The endpoint as configured, with its last segment increased by 1 for as long as a process of the cluster holds the
   * same one. Undefined when there is none up to 65,535.
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

  /** Records that a variable has this value on a node. */
  hold(node: string, variable: string, value: string): void {
    this.#valuesOf(node, variable).add(value);
  }

  /** The first value of a range that is free for this variable on the node; undefined when all are in use. */
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
