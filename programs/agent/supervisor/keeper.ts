import * as z from 'zod';
import { missedMax } from '../../../events/reported/supervisor.ts';
import { ServiceTypeName } from '../../../lib/core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { DesiredSupervisor } from '../../../lib/nodes/desired/desired.ts';
import type { ProcessKeeper } from '../processes/keeper.ts';
import type { ServiceSaid } from '../processes/words.ts';
import { heardForMs, PingRounds, type RoundsOptions } from '../station/rounds.ts';

/** A service of this host that should run and does not, and since when. */
export type Absent = { readonly service: ServiceTypeName; readonly since: EpochMs };

/** The options of a supervisor. */
export type SupervisorOptions = Pick<RoundsOptions, 'ping' | 'world'> & {
  readonly folder: Folder;
  /** The services of this host that should run and do not. */
  absent(): readonly Absent[];
  readonly words: Pick<ProcessKeeper, 'say' | 'written'>;
};

const file = 'supervisor.json';
const Kept = z.strictObject({ supervisor: DesiredSupervisor });
const service = ServiceTypeName.parse('supervisor');
/**
 * When to repeat an unchanged report of what it misses. A report that was dropped while Muster was unreachable, or that
 * a copy of the machine contradicted, is then soon replaced.
 */
const tellAgainMs = 10 * minuteMs;

type Missing = Extract<ServiceSaid, { type: 'supervisor.missed' }>['data']['missed'];

/**
 * The supervisor in an agent. While Muster wants one on its node, it pings the agents of the hosts that it watches,
 * round by round, and sees which services of its own host run. It reports changes of what it misses, and takes no
 * action.
 */
export class SupervisorKeeper {
  readonly #options: SupervisorOptions;
  readonly #rounds: PingRounds;
  #told: DesiredSupervisor | undefined;
  /** Since when it watches each address: it misses none that has not had the time to answer. */
  #since = new Map<string, EpochMs>();
  #said: { readonly key: string; readonly at: EpochMs } | undefined;

  /** A supervisor that continues with the assignment recorded in its folder. */
  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#rounds = new PingRounds({ ...options, looked: () => this.#looked() });
    const told = readTold(options.folder);
    if (told) this.#begin(told);
  }

  /** Takes the assignment of the node; undefined: no supervisor runs here. */
  desired(told: DesiredSupervisor | undefined): void {
    if (JSON.stringify(told) === JSON.stringify(this.#told)) return;
    if (told) this.#options.folder.write(file, `${JSON.stringify({ supervisor: told })}\n`);
    else this.#options.folder.remove(file);
    if (told) this.#begin(told);
    else this.stop();
  }

  /** What it watches and misses, in words, and whether it looks as it should. */
  status(): { readonly looks: boolean; readonly says: string } {
    const told = this.#told;
    if (!told) return { looks: false, says: 'this host has no supervisor to run' };
    const services = [...(told.own ? ['this host'] : []), ...told.watches.flatMap(({ host, supervisor }) => (supervisor ? [] : [host]))];
    const supervisors = told.watches.flatMap(({ host, supervisor }) => (supervisor ? [host] : []));
    const missed = this.#missed(told).map((one) => one.service ?? told.watches.find(({ node }) => node === one.node)?.host);
    const lines = [
      `watches the services of ${services.join(', ') || 'no host'}`,
      `watches the supervisors of ${supervisors.join(', ') || 'no host'}`,
      this.#rounds.hasLooked ? `misses ${missed.join(', ') || 'nothing'}` : 'no round of pings has ended yet',
    ];
    return { looks: this.#rounds.hasLooked, says: lines.join('\n').slice(0, saysMax) };
  }

  /** Stops watching, until it gets another assignment. */
  stop(): void {
    this.#rounds.stop();
    this.#told = undefined;
    this.#said = undefined;
    this.#since.clear();
  }

  #begin(told: DesiredSupervisor): void {
    const now = this.#options.world.now();
    this.#told = told;
    this.#said = undefined;
    this.#since = new Map(told.watches.map(({ address }) => [address, this.#since.get(address) ?? now]));
    this.#rounds.asks(told.watches.map(({ address }) => address));
  }

  #looked(): void {
    const told = this.#told;
    if (!told) return;
    const { words, world } = this.#options;
    const missed = this.#missed(told).slice(0, missedMax);
    const key = JSON.stringify(missed.map(({ node, service }) => [node, service]));
    const isOld = this.#said !== undefined && world.now() >= plusMs(this.#said.at, tellAgainMs);
    if (this.#said?.key === key && !isOld) return;
    this.#said = { key, at: world.now() };
    words.say([{ at: world.now(), type: 'supervisor.missed', data: { service, instance: told.instance, missed } }]);
    words.written();
  }

  #missed({ own, watches }: DesiredSupervisor): Missing {
    const now = this.#options.world.now();
    const others = watches.flatMap(({ node, address }) => {
      const forMs = now - (this.#rounds.heardAt(address) ?? this.#since.get(address) ?? now);
      return forMs >= heardForMs ? [{ node, forMs }] : [];
    });
    if (own === undefined) return others;
    const here = this.#options.absent().map(({ service, since }) => ({ node: own, service, forMs: now - since }));
    return [...others, ...here.filter(({ forMs }) => forMs >= heardForMs)];
  }
}

/** The most characters of an answer. */
const saysMax = 2_000;

/** The recorded assignment; undefined where the file cannot be read, since the next desired state has it again. */
function readTold(folder: Folder): DesiredSupervisor | undefined {
  try {
    return Kept.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.supervisor;
  } catch {
    return undefined;
  }
}
