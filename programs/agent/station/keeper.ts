import * as z from 'zod';
import { type Hears, hearsOf } from '../../../events/reported/hears.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { DesiredStation } from '../../../lib/nodes/desired/desired.ts';
import type { Trace } from '../traces.ts';
import { PingRounds, type RoundsOptions } from './rounds.ts';

/** The options of a station. */
export type StationOptions = Pick<RoundsOptions, 'ping' | 'world'> & { readonly folder: Folder; readonly trace?: Trace | undefined };

const file = 'station.json';
const Stored = z.strictObject({ station: DesiredStation });

/**
 * The station in an agent. While its node is a station, it pings all nodes of the zone, round by round, and reports
 * with each heartbeat which of them answer. The folder records the assignment, because Muster does not repeat it to an
 * agent that starts again.
 */
export class StationKeeper {
  readonly #options: StationOptions;
  readonly #rounds: PingRounds;
  #told: DesiredStation | undefined;

  constructor(options: StationOptions) {
    this.#options = options;
    this.#rounds = new PingRounds({ ...options, looked: () => options.trace?.('station', () => this.#roundSaid()) });
    this.#told = readAssignment(options.folder);
    if (this.#told) this.#look(this.#told);
  }

  /** Takes the assignment of the node; undefined: it is not a station. */
  desired(assignment: DesiredStation | undefined): void {
    if (JSON.stringify(assignment) === JSON.stringify(this.#told)) return;
    this.#told = assignment;
    if (assignment) this.#options.folder.write(file, `${JSON.stringify({ station: assignment })}\n`);
    else this.#options.folder.remove(file);
    if (assignment) this.#look(assignment);
    else this.stop();
  }

  /** The nodes that it hears, by index in the zone; undefined where it is not a station, or has not looked yet. */
  hears(): Hears | undefined {
    const assignment = this.#told;
    if (!assignment || !this.#rounds.hasLooked) return undefined;
    const heard = assignment.pings.filter(({ address }) => this.#rounds.hears(address)).map(({ index }) => index);
    return hearsOf(assignment.size, heard);
  }

  /** Its status in words, and whether it looks for the others as it should. */
  status(): { readonly looks: boolean; readonly says: string } {
    const assignment = this.#told;
    if (!assignment) return { looks: false, says: 'this host is not a station' };
    if (!this.#rounds.hasLooked) return { looks: false, says: 'no round of pings has ended yet' };
    const heard = assignment.pings.filter(({ address }) => this.#rounds.hears(address));
    return { looks: true, says: `hears ${heard.length} of ${assignment.pings.length} nodes` };
  }

  stop(): void {
    this.#rounds.stop();
  }

  #roundSaid(): string {
    const unheard = (this.#told?.pings ?? [])
      .filter(({ address }) => this.#rounds.heardAt(address) === undefined)
      .map(({ address }) => address);
    return `${this.status().says}${unheard.length > 0 ? `; no answer from ${unheard.slice(0, 10).join(', ')}` : ''}`;
  }

  #look({ pings }: DesiredStation): void {
    this.#rounds.setAddresses(pings.map(({ address }) => address));
  }
}

/** The recorded assignment; undefined where the file cannot be read, since the next desired state has it again. */
function readAssignment(folder: Folder): DesiredStation | undefined {
  try {
    return Stored.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.station;
  } catch {
    return undefined;
  }
}
