import { Unreachable } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import type { Cli } from '../../../programs/cli/cli.ts';
import { dumpedFacts } from '../../../programs/cli/commands/mero/dumping.ts';
import { loadFacts } from '../../../programs/cli/commands/mero/loading.ts';
import { Failure } from '../../../programs/cli/exit-codes.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf, type Random } from '../random.ts';
import { type FactsFile, type FactsFiles, filesFor } from './facts-files.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';
import { storageZone } from './storekeeper.ts';

/** A storage zone that comes and goes, whose hosts never call in. */
export const shelfZone = 'shelf' as ZoneName;
const shelfHosts = ['shelf1.simulated.test', 'shelf2.simulated.test'];

/**
 * When facts are loaded into the zone of hosts for the first time, in ms: before anybody adds anything to it, most of
 * the time.
 */
const firstMs = 15_000;
/** A command that is killed is killed before one of its first so many calls. */
const callsMax = 14;

/** The facts files of each storage zone, in a world where facts are loaded; empty in any other. */
export function factsOf({ config }: Pick<Around, 'config'>, hosts: readonly SimulatedHost[]): ReadonlyMap<ZoneName, FactsFiles> {
  if (!config.storage || !config.loads) return new Map();
  const names = hosts.filter(({ processes }) => processes).map(({ fqdn }) => fqdn);
  return new Map([
    [storageZone, filesFor(names)],
    [shelfZone, filesFor(shelfHosts)],
  ]);
}

/** What became of a command: done, `died`, or why not. */
type Ended = 'done' | 'died' | Failure | Unreachable;

/** Somebody with the real command line, which may be killed at any call. */
class Operator extends Person {
  /** The load that was begun or found last. */
  load: { readonly zone: ZoneName; readonly id: string } | undefined;
  readonly #kernel: Around['kernel'];

  constructor(name: string, around: Around, cluster: Cluster, isOver: () => boolean) {
    super(name, around, cluster, isOver);
    this.#kernel = around.kernel;
  }

  /**
   * Runs a command; it is killed before its nth call, or when nobody is to do anything any more. Throws what no command
   * should throw.
   */
  run(does: (cli: Cli) => Promise<unknown>, killedBefore = Number.POSITIVE_INFINITY, before = (): void => undefined): Promise<Ended> {
    return new Promise((resolve, reject) => {
      let calls = 0;
      const call: Cli['call'] = async (route, sent) => {
        calls += 1;
        if (calls >= killedBefore || this.isOver()) {
          resolve('died');
          return new Promise(() => undefined);
        }
        before();
        const answer = await this.tell(route, sent as object);
        const { zone } = (sent as { params: { zone: ZoneName } }).params;
        if ((route as object) === contract.beginMeroLoad) this.load = { zone, id: (answer.body as { load: string }).load };
        return answer;
      };
      const sleep = (ms: number): Promise<void> => this.#kernel.wait(ms, `${this.name} waits`);
      does({ call, terminal: { sleep } } as unknown as Cli).then(
        () => resolve('done'),
        (error: unknown) => (error instanceof Failure || error instanceof Unreachable ? resolve(error) : reject(error)),
      );
    });
  }

  /** Loads a file as `muster mero load` does. */
  loads = (zone: ZoneName, { cut }: FactsFile, killedBefore?: number, before?: () => void): Promise<Ended> =>
    this.run((cli) => loadFacts(cli, zone, cut, () => undefined), killedBefore, before);

  /**
   * Gives up the load that stands in the way of a command: the one that its refusal names, or the one that it began.
   */
  async givesUp(zone: ZoneName, ended: Ended): Promise<void> {
    if (!(ended instanceof Failure)) return;
    const id = /load (\S+) of other facts is under way/.exec(ended.message)?.[1] ?? (this.load?.zone === zone ? this.load.id : undefined);
    if (id !== undefined) await this.ask(contract.deleteMeroLoad, { params: { zone, load: id } });
  }
}

/**
 * Two operators who load facts into storage zones, and somebody who looks at these all the while; in a world that has
 * such.
 */
export function loadSome(around: Around, cluster: Cluster, files: ReadonlyMap<ZoneName, FactsFiles>, isOver: () => boolean): void {
  if (files.size === 0) return;
  const zones = [...files.keys()];
  const onlooker = new Person('onlooker', around, cluster, isOver);
  const look = (): void => void (onlooker.random() < 0.4 && !isOver() && lookAt(onlooker, cluster, oneOf(onlooker.random, zones)!));
  for (const name of ['loader1', 'loader2']) {
    const person = new Operator(name, around, cluster, isOver);
    const { random } = person;
    const load = async (zone: ZoneName): Promise<void> => {
      const killedBefore = random() < 0.4 ? between(random, 1, callsMax) : undefined;
      const ended = await person.loads(zone, someFile(random, files.get(zone)!), killedBefore, look);
      if (ended === 'died' && random() < 0.5) await hurry();
      else if (random() < 0.7) await person.givesUp(zone, ended);
    };
    const dump = async (): Promise<void> => {
      const zone = oneOf(random, zones)!;
      const from = around.kernel.now;
      await person.run(async (cli) => {
        const facts = await dumpedFacts(cli, zone);
        around.watch.dumped({ zone, from, to: around.kernel.now, facts });
      });
    };
    // Somebody takes for whole what a command that died has left.
    const hurry = async (): Promise<unknown> =>
      person.load && person.ask(contract.finishMeroLoad, { params: ofLoad(person.load), body: {} });
    const give = async (): Promise<unknown> => person.load && person.ask(contract.deleteMeroLoad, { params: ofLoad(person.load) });
    around.kernel.after(firstMs + random() * 2 * firstMs, `${name} begins`, () => !isOver() && void load(storageZone));
    const make = () => person.ask(contract.createZone, { body: { name: shelfZone, kind: 'storage' } });
    const remove = () => person.ask(contract.deleteZone, { params: { zone: shelfZone }, body: {} });
    const some = () => load(oneOf(random, zones)!);
    person.work([make, make, remove, some, some, some, () => load(shelfZone), () => load(shelfZone), dump, dump, hurry, give]);
  }
  onlooker.work([() => lookAt(onlooker, cluster, oneOf(onlooker.random, zones)!)]);
}

const ofLoad = ({ zone, id }: NonNullable<Operator['load']>) => ({ zone, load: id });

/** Mostly the same file, now and then another, or one that cannot be. */
function someFile(random: Random, { good, broken }: FactsFiles): FactsFile {
  const drawn = random();
  return drawn < 0.5 ? good[0]! : drawn < 0.75 ? good[1]! : broken;
}

/** Looks at a storage zone in one of the ways that there are. */
async function lookAt(person: Person, cluster: Cluster, zone: ZoneName): Promise<void> {
  const params = { zone };
  const one = (): Promise<unknown> => {
    const rows = [...cluster.store.rows.rows.values()].filter(({ key }) => key.pk === `cluster#${zone}` && key.sk.startsWith('process#'));
    const fid = (oneOf(person.random, rows)?.body as { fid: string } | undefined)?.fid;
    return fid === undefined ? Promise.resolve() : person.ask(contract.getMeroProcess, { params: { zone, fid } });
  };
  const looks = [
    () => person.ask(contract.meroStatus, { params, query: { devices: 'true' } }),
    () => person.ask(contract.meroStatus, { params, query: { devices: 'true' } }),
    () => person.ask(contract.graph, { params, query: { devices: 'true' } }),
    one,
  ];
  await oneOf(person.random, looks)!();
}

/**
 * Sees, once faults have ended, that no load is left alone: each zone has its facts, or what stands in their way is
 * given up.
 */
export class Finisher {
  readonly #person: Operator;
  readonly #files: ReadonlyMap<ZoneName, FactsFiles>;
  readonly #cluster: Cluster;
  readonly #done = new Set<ZoneName>();

  constructor(around: Around, cluster: Cluster, files: ReadonlyMap<ZoneName, FactsFiles>, isOver: () => boolean) {
    this.#person = new Operator('finisher', around, cluster, isOver);
    this.#files = files;
    this.#cluster = cluster;
  }

  async finish(): Promise<void> {
    for (const [zone, { good }] of this.#files) {
      if (zone === shelfZone) await this.#person.ask(contract.createZone, { body: { name: zone, kind: 'storage' } });
      if (!this.#done.has(zone)) await this.#load(zone, good[0]!);
      await lookAt(this.#person, this.#cluster, zone);
    }
  }

  async #load(zone: ZoneName, file: FactsFile): Promise<void> {
    const ended = await this.#person.loads(zone, file);
    if (ended === 'done' || (ended instanceof Failure && ended.problem === 'other-facts')) this.#done.add(zone);
    if (!(ended instanceof Failure)) return;
    const isBehindAnother = /is under way since/.test(ended.message);
    if (ended.problem !== 'refused' && !isBehindAnother) return;
    await this.#person.givesUp(zone, ended);
    // If hosts of its own stand in its way, they will not go away.
    if (!isBehindAnother) this.#done.add(zone);
  }
}
