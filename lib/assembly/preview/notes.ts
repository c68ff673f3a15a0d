import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import type { Row } from '../../ports/table/table.ts';
import type { Stations } from '../../stations/stations.ts';
import { type Forecast, forecastOf, about as lasting } from '../../zones/forecast.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import type { Counts } from '../../zones/zone.ts';
import { guardsNow, withGuards } from './guards.ts';
import type { Given } from './orders.ts';
import { iso } from './outcome.ts';
import type { Round } from './play.ts';
import type { Guard, ZonePreview } from './routes.ts';

/** How many reasons a preview has at most: the first ones, in the order in which they arose. */
const reasonsMax = 20;

/** What a play is noted with: the order, the zone before it, and the last count of its client systems. */
type About = { readonly given: Given; readonly before: LoadedZone; readonly counts: Counts | undefined; readonly startsAt: EpochMs };

/** The notes of a play, round by round: why things happened, what held them, and when the last slot moved. */
export class Notes {
  readonly #about: About;
  readonly #ids: ReadonlySet<string>;
  readonly #because: string[];
  #guards: readonly Guard[];
  #version: number;
  #mapVersion: number;
  #movedAt: EpochMs | undefined;
  #forecast: Forecast | undefined;

  constructor(noted: About) {
    this.#about = noted;
    this.#ids = new Set((noted.given.about ?? []).map(({ id }) => id));
    this.#because = [...noted.given.because];
    this.#guards = noted.given.guards;
    this.#version = noted.before.head.version;
    this.#mapVersion = noted.before.head.mapVersion;
  }

  /** Notes a round; `stations` are those of its zone. */
  take({ at, zone, head, nodes }: Round, stations: Stations | undefined): void {
    if (zone.head.version !== this.#version) this.#say(head.because);
    if (zone.head.mapVersion !== this.#mapVersion) this.#movedAt = at;
    this.#version = zone.head.version;
    this.#mapVersion = zone.head.mapVersion;
    const concerned = nodes.filter(({ body }) => this.#ids.has(body.id));
    for (const row of concerned) this.#say(reasonOf(row));
    const suspects = concerned.map(({ body }) => body).filter(({ status }) => status === 'suspect');
    this.#guards = withGuards(this.#guards, guardsNow(zone.head, { suspects, stations }, at));
    const forecast = forecastOf(zone, this.#about.counts, at);
    if (forecast && (forecast.at ?? 0) >= (this.#forecast?.at ?? 0)) this.#forecast = forecast;
  }

  /** The notes as the API shows them. */
  view(): Pick<ZonePreview, 'guards' | 'because' | 'forecast'> {
    return { guards: [...this.#guards], because: this.#because.slice(0, reasonsMax), forecast: this.#forecastView() };
  }

  #say(because: string): void {
    if (!this.#because.includes(because)) this.#because.push(because);
  }

  #forecastView(): ZonePreview['forecast'] {
    const moved = this.#movedAt;
    const { at, waiting = 0, because } = this.#forecast ?? {};
    const text = moved === undefined ? 'no slot moves' : `the last slot moves after ${lasting(moved - this.#about.startsAt)}`;
    return {
      ...(moved !== undefined && { movedAt: iso(moved) }),
      ...(at !== undefined && waiting === 0 && { allPlacedAt: iso(at) }),
      because: because === undefined ? text : `${text}; ${because}`,
    };
  }
}

const reasonOf = ({ body, because }: Row<Node>): string => `${body.fqdn} is ${body.status}: ${because}`;
