import type { Fingerprint, Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { plusMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { type Daemon, startDaemon } from '../../../programs/client/daemon.ts';
import type { ClientRecord } from '../../../programs/client/state.ts';
import { minionOf as provedBy } from '../../../tools/support/minion-keys.ts';
import { signedClient } from '../../../tools/support/signed-client.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { SimulatedHost } from './host.ts';
import { machineIdOf, nameOf } from './machine-ids.ts';
import { type MinionKey, minionOf } from './minion.ts';
import { Line } from './network.ts';
import type { Presence } from './presence.ts';

/** What is on the line and on the nodes around a machine. */
export type Surroundings = {
  readonly around: Around;
  readonly cluster: Cluster;
  readonly presence: Presence;
  readonly hosts: readonly SimulatedHost[];
};

/** A client system: a machine with the real client daemon on it, whose driver brings it to its node. */
export class SimulatedSystem {
  readonly name: string;
  readonly fqdn: Fqdn;
  /** The key of its daemon. */
  readonly pair: KeyPair;
  readonly publicKey: string;
  readonly fp: Fingerprint;
  readonly line: Line;
  /** Another machine has run with a copy of its disk. */
  wasCopied = false;
  /** Machines that run with a copy of this one's disk, its key included. */
  readonly copies = new Set<SimulatedSystem>();
  /** Keys of minions that were ever on it, and of daemons by which it comes back once it is banned: fingerprints. */
  readonly minions: Set<string>;
  readonly shapes = new Set<string>();
  /** The onboarding token in its configuration. */
  onboardingToken: string | undefined;
  /** The daemon has ended: this machine is banned. */
  ended = false;
  kept: ClientRecord = { phase: 'unheard' };
  #daemon: Daemon | undefined;
  readonly #n: number;
  readonly #surroundings: Surroundings;
  readonly #minion: () => MinionKey | undefined;
  readonly #clockOffMs: number;
  #starts = 0;
  #copied = 0;

  constructor(n: number, surroundings: Surroundings, name = `system${n}`, minions = new Set<string>()) {
    const { kernel, faults } = surroundings.around;
    this.#n = n;
    this.name = name;
    this.minions = minions;
    this.fqdn = nameOf(n, surroundings.around.config);
    this.pair = keyPairOf(`web${n}.simulated.test`);
    this.publicKey = this.pair.publicKey;
    this.fp = fingerprintOf(this.publicKey);
    this.#surroundings = surroundings;
    this.line = new Line(this.name, surroundings.around, surroundings.cluster);
    const minion = minionOf(n, kernel);
    this.#minion = () => minion(kernel.now);
    this.#clockOffMs = faults.hits('skew', 3) ? Math.round((faults.draw('skew') - 0.5) * 2 * 600_000) : 0;
  }

  get machineId(): string {
    return machineIdOf(this.#n, this.#surroundings.around.config);
  }

  /** The node that its daemon has confirmed. */
  get place(): string | undefined {
    return this.state?.phase === 'onboarded' ? this.state.place?.fqdn : undefined;
  }

  get isOn(): boolean {
    return this.#daemon !== undefined;
  }

  get state(): ReturnType<Daemon['state']> | undefined {
    return this.#daemon?.state();
  }

  /** The key of its minion now, if it has one. */
  get minion(): MinionKey | undefined {
    const key = this.#minion();
    if (key) this.minions.add(key.fingerprint);
    return key;
  }

  /**
   * The zone that it asks for: where somebody reaches for it from another, every second one does; a version before
   * takes none.
   */
  get #zone(): ZoneName | undefined {
    const { around, cluster } = this.#surroundings;
    const { outsider, deploy } = around.config.faults;
    return outsider !== undefined && deploy === undefined && this.#n % 2 === 0 ? cluster.zones.ofSystem(this.fp) : undefined;
  }

  /** This machine knocks, and none of its copies. */
  knockAlone = (): void => this.#daemon?.knockNow();

  knockNow = (): void => {
    this.#daemon?.knockNow();
    for (const copy of this.copies) copy.knockNow();
  };

  start(): void {
    if (this.#daemon || this.ended) return;
    this.showOnNode(true);
    const { around, hosts } = this.#surroundings;
    const { kernel } = around;
    this.#starts += 1;
    const random = kernel.random(`${this.name} ${this.#starts}`);
    this.#daemon = startDaemon({
      api: this.#api(),
      machine: {
        fp: this.fp,
        publicKey: this.publicKey,
        fqdn: this.fqdn,
        machineId: this.machineId,
        facts: {},
        tags: [],
        ...(around.config.boots && { boot: `${this.name}-boot-${this.#starts}` }),
        ...(this.#zone && { zone: this.#zone }),
        ...(this.onboardingToken !== undefined && { onboardingToken: this.onboardingToken }),
        minion: () => {
          const { minion: key } = this;
          return key && provedBy(key.id, key, this.fp);
        },
      },
      driver: { start: (fqdn) => this.#drive(fqdn), stop: () => this.#drive(undefined) },
      record: this.kept,
      keep: (kept) => {
        this.kept = kept;
      },
      isHeard: async ({ host }) => {
        await kernel.wait(5, `${this.name} watches ${host}`);
        return !this.line.isCut && hosts.some((one) => one.fqdn === host && one.isOn && !one.line.isCut);
      },
      say: (line) => kernel.note(`${this.name}: ${line}`),
      ended: () => {
        this.ended = true;
        this.#daemon = undefined;
      },
      world: {
        now: this.#now,
        after: (waitMs, then) => kernel.after(waitMs, `${this.name} wakes`, then),
        random,
      },
    });
  }

  stop(): void {
    this.#daemon?.stop();
    this.#daemon = undefined;
  }

  /** What its node sees of it has ended, or runs again; its daemon goes on. */
  showOnNode(isSeen: boolean): void {
    this.#surroundings.presence.show(this.name, isSeen);
  }

  /** The machine has no power: its node sees it no more, until it starts with all that was on it. */
  powerOff(): void {
    this.stop();
    this.showOnNode(false);
  }

  /**
   * The daemon's folder is lost, and what it drove with it; its key comes from the machine, so it is the same system.
   */
  loseDisk(): void {
    this.stop();
    this.kept = { phase: 'unheard' };
    this.#surroundings.presence.drive(this.name, this.fp, undefined);
  }

  /** Another machine starts from an image of this one. */
  copy(): SimulatedSystem {
    this.#copied += 1;
    const copy = new SimulatedSystem(this.#n, this.#surroundings, `${this.name}-copy${this.#copied}`, this.minions);
    copy.kept = this.kept;
    this.wasCopied = true;
    this.copies.add(copy);
    copy.start();
    return copy;
  }

  /** The machine is no more. */
  endCopy(copy: SimulatedSystem): void {
    copy.loseDisk();
    copy.ended = true;
    this.copies.delete(copy);
  }

  /** Knocks are signed by the machine's clock; what is learned of the deployment is forgotten with each start. */
  #api() {
    let nonces = 0;
    return signedClient('http://muster.simulated', this.pair, {
      fetching: this.line.fetching,
      timeoutMs: Number.POSITIVE_INFINITY,
      now: () => this.#now(),
      newNonce: () => {
        nonces += 1;
        return `a-knock-of-${this.name}-${this.#starts}-${nonces}`;
      },
    });
  }

  #now = () => plusMs(this.#surroundings.around.kernel.now, this.#clockOffMs);

  async #drive(fqdn: Fqdn | undefined): Promise<{ ok: true } | { ok: false; why: string }> {
    const { around, presence } = this.#surroundings;
    const starts = this.#starts;
    await around.kernel.wait(500, `${this.name} is driven to ${fqdn ?? 'nowhere'}`);
    if (around.faults.hits('restart', 0.2)) return { ok: false, why: 'the minion did not start' };
    if (this.isOn && starts === this.#starts) presence.drive(this.name, this.fp, fqdn);
    return { ok: true };
  }
}
