import type { EpochMs } from '../../../../lib/core/time.ts';
import type { DesiredSupervisor } from '../../../../lib/nodes/desired/desired.ts';
import { heardForMs, roundEveryMs } from '../../../../programs/agent/station/rounds.ts';
import type { Missing, Pinged, Supervising } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

/** Who has not answered for so long has been asked twice since it is missed, in ms. */
const saidWithinMs = heardForMs + 2 * roundEveryMs;

/** One agent of a host, as it looks for others and says whom it misses. */
class Looking {
  /** What it was told, as its folder has it. */
  #told: string | undefined;
  #watches: DesiredSupervisor['watches'] = [];
  readonly #heardAt = new Map<string, EpochMs>();
  /** Since when each address is silent, as far as it was told all the while the same. */
  #silentSince = new Map<string, EpochMs>();
  #missed = new Set<string>();
  /** When each was asked last. */
  readonly #askedAt = new Map<string, EpochMs>();

  /** Takes what its folder says that it was told; whoever is told anew may begin anew. */
  told(text: string): void {
    if (text === this.#told) return;
    this.#told = text;
    this.#watches = (JSON.parse(text) as { readonly supervisor: DesiredSupervisor }).supervisor.watches;
    this.#silentSince.clear();
  }

  /**
   * Takes what it has seen of an address; gives who is there where it should have said by now that it misses that. One
   * that stood still itself begins anew.
   */
  saw({ at, address, isHeard }: Pinged): string | undefined {
    if (at - (this.#askedAt.get(address) ?? at) > 2 * roundEveryMs) this.#silentSince.delete(address);
    this.#askedAt.set(address, at);
    if (isHeard) {
      this.#heardAt.set(address, at);
      this.#silentSince.delete(address);
      return undefined;
    }
    const since = this.#silentSince.get(address) ?? at;
    this.#silentSince.set(address, since);
    const there = this.#watches.filter((one) => one.address === address);
    if (at - since <= saidWithinMs || there.length === 0 || there.some(({ node }) => this.#missed.has(node))) return undefined;
    return there[0]!.host;
  }

  /** Takes its word; gives whom it says to miss although it has heard that. */
  said({ at, missed }: Missing): string | undefined {
    const others = missed.filter(({ service }) => service === undefined);
    this.#missed = new Set(others.map(({ node }) => node));
    const heard = this.#watches.find(({ node, address }) => this.#missed.has(node) && (this.#heardAt.get(address) ?? 0) > at - heardForMs);
    return heard?.host;
  }
}

/** A supervisor that is silent about whom it misses is as good as none. */
export const saysWhomItMisses: Invariant = {
  name: 'a-supervisor-says-whom-it-misses',
  says: 'a supervisor says that it misses a node that has not answered it for 18 s, at the latest two rounds after that, and of none that has; copies of machines aside',
  begin: ({ world, violated }) => {
    const looking = new Map<string, Looking>();
    /** What is known of an agent that looks; nothing where a copy of its host has run, whose folder is another one. */
    const of = ({ host: name, run }: Supervising): Looking | undefined => {
      const host = world().hosts.find((one) => one.name === name)!;
      const text = host.disk.read('supervisor.json');
      if (host.wasCloned || text === undefined) return undefined;
      const id = `${name} ${run}`;
      const one = looking.get(id) ?? new Looking();
      looking.set(id, one);
      one.told(text);
      return one;
    };
    return {
      pinged: (ping) => {
        const host = of(ping)?.saw(ping);
        if (host !== undefined) violated(`${ping.host} does not say that it misses ${host}`);
      },
      missed: (word) => {
        const host = of(word)?.said(word);
        if (host !== undefined) violated(`${word.host} says that it misses ${host}, which it hears`);
      },
    };
  },
};
