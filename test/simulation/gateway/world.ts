import { createHash } from 'node:crypto';
import { Unreachable } from '../../../lib/api/client.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { Circuits } from '../../../lib/uyuni/gateway/circuits.ts';
import type { Directory, GatewayNode } from '../../../lib/uyuni/gateway/directory.ts';
import { gatewayOf } from '../../../programs/gateway/gateway.ts';
import type { CallNode } from '../../../programs/gateway/node-calls.ts';
import { directoryFrom, NotTold } from '../../../programs/gateway/nodes-of-muster.ts';
import { NumbersOfNodes } from '../../../programs/gateway/numbers-of-nodes.ts';
import { seatNamed } from '../../../programs/gateway/seats.ts';
import { listenerOf } from '../../../programs/gateway/server.ts';
import { sessionsInMemory } from '../../../programs/gateway/sessions.ts';
import type { Config } from '../config.ts';
import { between, oneOf } from '../random.ts';
import { Estate } from './estate.ts';
import { Line } from './line.ts';
import { PlayedMuster } from './muster.ts';
import { type Account, type Around, PlayedServer } from './played-server.ts';

/** How long the gateway waits for a server, unless a call says otherwise. */
export const deadlineMs = 10_000;
const account = { login: 'gateway', password: 'its own' };

/** Everybody that servers know. Two people have one name: one on the servers of even places, one on the others. */
export const accounts: readonly Account[] = [
  { login: 'ada', password: 'first' },
  { login: 'bob', password: 'second' },
  { login: 'bob', password: 'third' },
  { login: 'grace & co', password: 'fourth' },
];

/** Servers, Muster and the gateway before them, in virtual time; people call it by `line`. */
export class GatewayWorld {
  readonly around: Around;
  readonly muster: PlayedMuster;
  readonly servers: ReadonlyMap<string, PlayedServer>;
  readonly seat: string | undefined;
  readonly refreshMs: number;
  /** What the gateway has known about the cluster, and since when. */
  readonly directories: { readonly at: number; readonly directory: Directory }[] = [];
  line!: Line;
  readonly #numbers: NumbersOfNodes | undefined;

  constructor(config: Config, around: Omit<Around, 'estate'>) {
    const { kernel, faults } = around;
    const random = kernel.random('the gateway’s world');
    const names = Array.from({ length: config.nodes }, (_, n) => `${'abcdefgh'[n % 8]}${n}.acme.test`);
    const estate = new Estate(names, { systems: config.clients, adopted: oneOf(random, [0, 0.5, 1])!, random });
    this.around = { ...around, estate };
    this.muster = new PlayedMuster(estate, kernel, faults);
    const known = (n: number): Account[] => [...accounts.filter((one, m) => one.login !== 'bob' || m % 2 === (n + 1) % 2), account];
    this.servers = new Map(names.map((name, n) => [name, new PlayedServer(name, known(n), this.around)]));
    this.seat = random() < 0.5 ? oneOf(random, names) : undefined;
    this.refreshMs = 1_000 * between(random, 5, 60);
    const reads = { account, call: this.#call, clock: this.#clock, say: () => undefined };
    this.#numbers = random() < 0.7 ? new NumbersOfNodes(reads) : undefined;
  }

  readonly #call: CallNode = (node, { document }, signal) => this.servers.get(node.name)!.call(Buffer.from(document).toString(), signal);

  readonly #clock = {
    now: () => this.around.kernel.now,
    after: (waitMs: number, then: () => void) => this.around.kernel.after(waitMs, '', then),
  };

  /** The program begins, with no session that it had before. */
  begin(): void {
    const { kernel } = this.around;
    const now = (): EpochMs => kernel.now;
    let drawn = 0;
    const random = (count: number): Buffer =>
      createHash('sha512').update(`${kernel.seed} ${kernel.steps} ${drawn++}`).digest().subarray(0, count);
    const gateway = gatewayOf({
      ...{ call: this.#call, circuits: new Circuits(now), sessions: sessionsInMemory(now, random), clock: this.#clock, deadlineMs },
      ...{ directory: () => this.directories.at(-1)!.directory, seats: seatNamed(this.seat), actions: this.muster.actions },
    });
    const answering = { deadlineMs, strict: false, clock: this.#clock, say: () => undefined };
    this.line = new Line(listenerOf(gateway, answering));
  }

  /** Reads the directory as the program does; what cannot be read stays as it was. */
  async read(): Promise<void> {
    const { kernel } = this.around;
    const numbers = this.#numbers;
    try {
      const directory = await directoryFrom(this.muster.call, {
        ...{ zone: undefined, urls: new Map(), numbersOf: numbers && ((nodes: readonly GatewayNode[]) => numbers.of(nodes)) },
      });
      this.directories.push({ at: kernel.now, directory });
      kernel.note(`the gateway knows ${directory.nodes().map(({ name, isUp }) => (isUp ? name : `${name} (down)`))}`);
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof NotTold)) throw error;
      kernel.note('the gateway is told nothing');
    }
  }

  /** What the gateway knew at some moment between two. */
  knownBetween(from: number, to: number): Directory[] {
    const until = this.directories.filter(({ at }) => at <= to);
    const first = Math.max(
      0,
      until.findLastIndex(({ at }) => at <= from),
    );
    // What came at the very moment of a call may have been there before it, or not.
    return until.slice(Math.max(0, until[first]?.at === from ? first - 1 : first)).map(({ directory }) => directory);
  }

  /** The numbers that everybody is to see when all is well, in their order. */
  visible(): number[] {
    const { estate } = this.around;
    const numbers = estate.nodes.flatMap((node) =>
      estate.on(node).map(({ machine, number }) => {
        if (!this.isSeveral) return number;
        const isKnown = this.#numbers
          ? machine.minion !== 'localhost'
          : machine.adopted?.node === node && machine.adopted.number === number;
        return isKnown ? machine.clusterId : 0;
      }),
    );
    return numbers.filter((number) => number > 0).sort((a, b) => a - b);
  }

  /** Whether the gateway stands before several servers, so that numbers are those of the cluster. */
  get isSeveral(): boolean {
    return this.around.estate.nodes.length > 1;
  }
}
