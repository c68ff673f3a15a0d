import * as z from 'zod';
import { type Hears, hearsOf } from '../../events/reported/hears.ts';
import { DesiredStation } from '../../lib/desired/desired.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { type EpochMs, secondMs } from '../../lib/units.ts';
import type { Trace } from '../traces.ts';
import { inTurns } from './in-turns.ts';

/** How often a station looks whether it reaches the nodes of its zone: somewhat oftener than it says so. */
export const roundEveryMs = 5 * secondMs;
/** How long a node may take to answer. */
export const pingLimitMs = 2 * secondMs;
/** How many are asked at once at the most. */
const atOnceMax = 64;
/** For how long one answer counts: two rounds that are lost cost nobody anything, and who is gone is known before its lease is. */
export const heardForMs = 18 * secondMs;

/** Whether something accepts a connection at an address; never rejects. */
export type Ping = (address: string, limitMs: number) => Promise<boolean>;

/** What a station needs. */
export type StationOptions = {
  readonly folder: Folder;
  readonly ping: Ping;
  readonly world: Pick<World, 'after' | 'now' | 'random'>;
  readonly trace?: Trace | undefined;
};

const file = 'station.json';
const Kept = z.strictObject({ station: DesiredStation });

/**
 * The station in an agent: while its node is one it asks all nodes of the zone, round by round, whether they take a connection, and says with each heartbeat
 * which do. What it is told is kept in the folder, because an agent that is started again is not told twice.
 */
export class StationKeeper {
  readonly #options: StationOptions;
  readonly #heardAt = new Map<string, EpochMs>();
  #told: DesiredStation | undefined;
  /** The first round that looked at all that it was told of is over: before that nothing is said. */
  #hasLooked = false;
  #rounds = 0;
  #cancel: (() => void) | undefined;

  constructor(options: StationOptions) {
    this.#options = options;
    this.#told = readTold(options.folder);
    if (this.#told) this.#begin();
  }

  /** What the node is told to be; undefined: no station. */
  desired(told: DesiredStation | undefined): void {
    if (JSON.stringify(told) === JSON.stringify(this.#told)) return;
    const before = this.#told;
    this.#told = told;
    if (told) this.#options.folder.write(file, `${JSON.stringify({ station: told })}\n`);
    else this.#options.folder.remove(file);
    if (!told) {
      this.stop();
      return;
    }
    // Of those that are new nothing is known until they were asked.
    if (!before || told.pings.some(({ address }) => !before.pings.some((one) => one.address === address))) this.#begin();
  }

  /** Whom it hears, by index in the zone; undefined where it is no station, or has not looked yet. */
  hears(): Hears | undefined {
    const told = this.#told;
    if (!told || !this.#hasLooked) return undefined;
    const since = this.#options.world.now() - heardForMs;
    const heard = told.pings.filter(({ address }) => (this.#heardAt.get(address) ?? 0) > since).map(({ index }) => index);
    return hearsOf(told.size, heard);
  }

  /** What there is to say of it, and whether it looks for the others as it should. */
  status(): { readonly looks: boolean; readonly says: string } {
    const told = this.#told;
    const since = this.#options.world.now() - heardForMs;
    if (!told) return { looks: false, says: 'this host was not told whom to look for' };
    if (!this.#hasLooked) return { looks: false, says: 'it has not looked yet' };
    const heard = told.pings.filter(({ address }) => (this.#heardAt.get(address) ?? 0) > since);
    return { looks: true, says: `hears ${heard.length} of ${told.pings.length} nodes` };
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#rounds++;
    this.#hasLooked = false;
    this.#heardAt.clear();
  }

  #roundSaid(): string {
    const unheard = (this.#told?.pings ?? []).filter(({ address }) => !this.#heardAt.has(address)).map(({ address }) => address);
    return `${this.status().says}${unheard.length > 0 ? `; no answer from ${unheard.slice(0, 10).join(', ')}` : ''}`;
  }

  #begin(): void {
    this.#cancel?.();
    this.#hasLooked = false;
    void this.#round(++this.#rounds);
  }

  /** One round after another, until a newer one has begun; each node at a moment of its own within it. */
  async #round(n: number): Promise<void> {
    const { ping, world } = this.#options;
    const pings = this.#told?.pings ?? [];
    await inTurns(pings, atOnceMax, async ({ address }) => {
      if (n === this.#rounds && (await ping(address, pingLimitMs))) this.#heardAt.set(address, world.now());
    });
    if (n !== this.#rounds) return;
    this.#hasLooked = true;
    this.#options.trace?.('station', () => this.#roundSaid());
    const addresses = new Set(pings.map(({ address }) => address));
    for (const address of this.#heardAt.keys()) if (!addresses.has(address)) this.#heardAt.delete(address);
    this.#cancel = world.after(Math.round(roundEveryMs * (0.9 + 0.2 * world.random())), () => this.#round(n));
  }
}

/** What was told when the agent ran last; what cannot be read counts as nothing, since the next desired state says it again. */
function readTold(folder: Folder): DesiredStation | undefined {
  try {
    return Kept.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.station;
  } catch {
    return undefined;
  }
}
