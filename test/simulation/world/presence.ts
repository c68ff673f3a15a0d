import type { Fqdn } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Kernel } from '../kernel.ts';

type Driven = { readonly fp: string; readonly fqdn: string; readonly since: EpochMs };

/**
 * Which machine is driven to which node: what the software on the nodes sees, and what it has seen. A copied machine
 * has the fingerprint of the first.
 */
export class Presence {
  readonly #kernel: Kernel;
  readonly #driven = new Map<string, Driven>();
  /** Machines of which no node sees anything. */
  readonly #unseen = new Set<string>();
  /** Called when a machine comes to a node. */
  entered: ((fp: string, fqdn: Fqdn) => void) | undefined;
  /** When somebody was last seen on a node where nobody with that fingerprint is any more. */
  readonly #leftAt = new Map<string, EpochMs>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** A machine reports to this node from now on, or to none. */
  drive(machine: string, fp: string, fqdn: Fqdn | undefined): void {
    const before = this.#driven.get(machine);
    if (before) this.#leftAt.set(`${before.fp} ${before.fqdn}`, this.#kernel.now);
    const since = before?.fp === fp && before.fqdn === fqdn ? before.since : this.#kernel.now;
    if (fqdn) this.#driven.set(machine, { fp, fqdn, since });
    else this.#driven.delete(machine);
    if (fqdn && (before?.fp !== fp || before.fqdn !== fqdn)) this.entered?.(fp, fqdn);
  }

  /** What a node sees of a machine has ended, or runs again; the machine is driven there as before. */
  show(machine: string, isSeen: boolean): void {
    const driven = this.#driven.get(machine);
    if (isSeen && this.#unseen.delete(machine) && driven) this.#driven.set(machine, { ...driven, since: this.#kernel.now });
    if (!isSeen) this.#unseen.add(machine);
  }

  /** Since when a node sees a machine that is driven to it. */
  seenSince = (machine: string): EpochMs | undefined => (this.#unseen.has(machine) ? undefined : this.#driven.get(machine)?.since);

  /** The machines that a node sees. */
  #on = (fqdn: string): Driven[] =>
    [...this.#driven].flatMap(([machine, one]) => (one.fqdn === fqdn && !this.#unseen.has(machine) ? one : []));

  /** The fingerprints that a node sees. */
  seenOn = (fqdn: string): Set<string> => new Set(this.#on(fqdn).map(({ fp }) => fp));

  /** Since when a node has seen a fingerprint without a break, on one machine; undefined when it does not see it. */
  onSince = (fp: string, fqdn: string): EpochMs | undefined =>
    this.#on(fqdn)
      .filter((one) => one.fp === fp)
      .sort((a, b) => a.since - b.since)[0]?.since;

  /** The nodes that see a fingerprint. */
  nodesOf = (fp: string): string[] => [...this.#driven.values()].flatMap((one) => (one.fp === fp ? one.fqdn : []));

  /** Whether a node has seen a fingerprint at some moment since. */
  wasOn = (fp: string, fqdn: string, since: number): boolean =>
    (this.#leftAt.get(`${fp} ${fqdn}`) ?? Number.NEGATIVE_INFINITY) >= since || this.nodesOf(fp).includes(fqdn);
}
