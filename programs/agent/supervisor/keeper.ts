import * as z from 'zod';
import { missedMax } from '../../../events/reported/supervisor.ts';
import { ServiceTypeName } from '../../../lib/core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { DesiredSupervisor } from '../../../lib/nodes/desired/desired.ts';
import type { ProcessKeeper } from '../processes/keeper.ts';
import type { UnnumberedReport } from '../processes/words.ts';
import { heardForMs, PingRounds, type RoundsOptions } from '../station/rounds.ts';

/** A service of this host that should run and does not, and since when. */
export type Absent = { readonly service: ServiceTypeName; readonly since: EpochMs };

/** The options of a supervisor. */
export type SupervisorOptions = Pick<RoundsOptions, 'ping' | 'world'> & {
  readonly folder: Folder;
  /** The services of this host that should run and do not. */
  absent(): readonly Absent[];
  readonly reporter: Pick<ProcessKeeper, 'say' | 'written'>;
};

const file = 'supervisor.json';
const Stored = z.strictObject({ supervisor: DesiredSupervisor });
const service = ServiceTypeName.parse('supervisor');
/**
 * When to repeat an unchanged report of what it misses. A report that was dropped while Muster was unreachable, or that
 * a copy of the machine contradicted, is then soon replaced.
 */
const tellAgainMs = 10 * minuteMs;

type Missing = Extract<UnnumberedReport, { type: 'supervisor.missed' }>['data']['missed'];

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
    const assignment = readAssignment(options.folder);
    if (assignment) this.#begin(assignment);
  }

  /** Takes the assignment of the node; undefined: no supervisor runs here. */
  desired(assignment: DesiredSupervisor | undefined): void {
    if (JSON.stringify(assignment) === JSON.stringify(this.#told)) return;
    if (assignment) this.#options.folder.write(file, `${JSON.stringify({ supervisor: assignment })}\n`);
    else this.#options.folder.remove(file);
    if (assignment) this.#begin(assignment);
    else this.stop();
  }

  /** What it watches and misses, in words, and whether it looks as it should. */
  status(): { readonly looks: boolean; readonly says: string } {
    const assignment = this.#told;
    if (!assignment) return { looks: false, says: 'this host has no supervisor to run' };
    const services = [
      ...(assignment.own ? ['this host'] : []),
      ...assignment.watches.flatMap(({ host, supervisor }) => (supervisor ? [] : [host])),
    ];
    const supervisors = assignment.watches.flatMap(({ host, supervisor }) => (supervisor ? [host] : []));
    const missed = this.#missed(assignment).map((one) => one.service ?? assignment.watches.find(({ node }) => node === one.node)?.host);
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

  #begin(assignment: DesiredSupervisor): void {
    const now = this.#options.world.now();
    this.#told = assignment;
    this.#said = undefined;
    this.#since = new Map(assignment.watches.map(({ address }) => [address, this.#since.get(address) ?? now]));
    this.#rounds.setAddresses(assignment.watches.map(({ address }) => address));
  }

  #looked(): void {
    const assignment = this.#told;
    if (!assignment) return;
    const { reporter, world } = this.#options;
    const missed = this.#missed(assignment).slice(0, missedMax);
    const key = JSON.stringify(missed.map(({ node, service }) => [node, service]));
    const isOld = this.#said !== undefined && world.now() >= plusMs(this.#said.at, tellAgainMs);
    if (this.#said?.key === key && !isOld) return;
    this.#said = { key, at: world.now() };
    reporter.say([{ at: world.now(), type: 'supervisor.missed', data: { service, instance: assignment.instance, missed } }]);
    reporter.written();
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
function readAssignment(folder: Folder): DesiredSupervisor | undefined {
  try {
    return Stored.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.supervisor;
  } catch {
    return undefined;
  }
}
