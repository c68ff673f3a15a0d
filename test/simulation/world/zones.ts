import type { ZoneName } from '../../../lib/core/ids.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Config } from '../config.ts';
import { oneOf, type Random } from '../random.ts';

/** The zones that a world may have, in the order in which it has them. */
const zoneNames = [defaultZone, 'east', 'west'] as ZoneName[];

/** The zones of a world. Its hosts and client systems are dealt out among them, so that each zone has some of both. */
export class Zones {
  /** Only as many as there are hosts: without any, client systems of a zone could never be at home. */
  readonly names: readonly ZoneName[];
  readonly #own = new Map<string, ZoneName>();

  constructor({ zones = 1, nodes }: Pick<Config, 'zones' | 'nodes'>) {
    this.names = zoneNames.slice(0, Math.max(1, Math.min(zones, nodes)));
  }

  get areMany(): boolean {
    return this.names.length > 1;
  }

  /** The zone of the nth machine of its kind, counted from 1. */
  ofMachine = (n: number): ZoneName => this.names[(n - 1) % this.names.length]!;

  /** Remembers that this fingerprint is of the nth client system. */
  deal(fp: string, n: number): void {
    this.#own.set(fp, this.ofMachine(n));
  }

  /** The zone into which people accept a client system; whoever is none of this world's goes into the first. */
  ofSystem = (fp: string): ZoneName => this.#own.get(fp) ?? defaultZone;

  /**
   * What names one of them in a call; nothing where there is but one, which need not be named, and nothing is drawn
   * then.
   */
  some = (random: Random): { readonly zone?: ZoneName } => (this.areMany ? { zone: oneOf(random, this.names)! } : {});

  /** What names this one in a call; nothing where it need not be named. */
  named = (zone: ZoneName): { readonly zone?: ZoneName } => (zone === defaultZone ? {} : { zone });
}
