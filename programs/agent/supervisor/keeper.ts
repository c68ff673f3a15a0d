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

/** What a supervisor works with. */
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
 * Whom it misses, or that it misses nobody, it says again after so long: one whose word was pushed out while Muster
 * could not be reached, or was contradicted by a copy of its machine, is right again before long.
 */
const tellAgainMs = 10 * minuteMs;

type Missing = Extract<ServiceSaid, { type: 'supervisor.missed' }>['data']['missed'];

/**
 * The supervisor in an agent: while one is to run on its node, it asks the agents of those that it watches, round by
 * round, whether they answer, and sees which services of its own host run. It says whom it misses, when that changes,
 * and does nothing about it.
 */
export class SupervisorKeeper {
  readonly #options: SupervisorOptions;
  readonly #rounds: PingRounds;
  #told: DesiredSupervisor | undefined;
  /** Since when each is watched: nobody is missed before it had the time to answer. */
  #since = new Map<string, EpochMs>();
  #said: { readonly key: string; readonly at: EpochMs } | undefined;

  /** One that goes on with what its folder knows that it was told last. */
  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#rounds = new PingRounds({ ...options, looked: () => this.#looked() });
    const told = readTold(options.folder);
    if (told) this.#begin(told);
  }

  /** What the node is told to watch; undefined: no supervisor is to run here. */
  desired(told: DesiredSupervisor | undefined): void {
    if (JSON.stringify(told) === JSON.stringify(this.#told)) return;
    if (told) this.#options.folder.write(file, `${JSON.stringify({ supervisor: told })}\n`);
    else this.#options.folder.remove(file);
    if (told) this.#begin(told);
    else this.stop();
  }

  /** Whom it watches and misses, in words, and whether it looks as it should. */
  status(): { readonly looks: boolean; readonly says: string } {
    const told = this.#told;
    if (!told) return { looks: false, says: 'this host was not told whom to watch' };
    const services = [...(told.own ? ['this host'] : []), ...told.watches.flatMap(({ host, supervisor }) => (supervisor ? [] : [host]))];
    const supervisors = told.watches.flatMap(({ host, supervisor }) => (supervisor ? [host] : []));
    const missed = this.#missed(told).map((one) => one.service ?? told.watches.find(({ node }) => node === one.node)?.host);
    const lines = [
      `watches the services of ${services.join(', ') || 'nobody'}`,
      `watches the supervisors of ${supervisors.join(', ') || 'nobody'}`,
      this.#rounds.hasLooked ? `misses ${missed.join(', ') || 'nobody'}` : 'has not looked yet',
    ];
    return { looks: this.#rounds.hasLooked, says: lines.join('\n').slice(0, saysMax) };
  }

  /** Watches nobody any more, until it is told again. */
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

/** What fits into an answer, in characters. */
const saysMax = 2_000;

/**
 * What was told when the agent ran last; what cannot be read counts as nothing, since the next desired state says it
 * again.
 */
function readTold(folder: Folder): DesiredSupervisor | undefined {
  try {
    return Kept.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.supervisor;
  } catch {
    return undefined;
  }
}
