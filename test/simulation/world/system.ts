import { type Daemon, startDaemon } from '../../../client/daemon.ts';
import type { Kept } from '../../../client/state.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { Fingerprint, Fqdn } from '../../../lib/ids.ts';
import { plusMs } from '../../../lib/units.ts';
import { publicKeyOf } from '../../support/players.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { Presence, SimulatedHost } from './host.ts';
import { Line } from './network.ts';

/** A client system: a machine with the real client daemon on it, whose driver brings it to its node. */
export class SimulatedSystem {
  readonly name: string;
  readonly fqdn: string;
  readonly publicKey: string;
  readonly fp: Fingerprint;
  readonly line: Line;
  /** The daemon has ended: this machine is banned. */
  ended = false;
  kept: Kept = { phase: 'unheard' };
  #daemon: Daemon | undefined;
  readonly #around: Around;
  readonly #presence: Presence;
  readonly #hosts: readonly SimulatedHost[];
  readonly #clockOffMs: number;
  #starts = 0;

  constructor(n: number, around: Around, cluster: Cluster, { presence, hosts }: { presence: Presence; hosts: readonly SimulatedHost[] }) {
    this.name = `system${n}`;
    this.fqdn = `web${n}.simulated.test`;
    this.publicKey = publicKeyOf(this.fqdn);
    this.fp = fingerprintOf(this.publicKey);
    this.#around = around;
    this.#presence = presence;
    this.#hosts = hosts;
    this.line = new Line(this.name, around, cluster);
    this.#clockOffMs = around.faults.hits('skew', 3) ? Math.round((around.faults.draw('skew') - 0.5) * 2 * 600_000) : 0;
  }

  get isOn(): boolean {
    return this.#daemon !== undefined;
  }

  get state(): ReturnType<Daemon['state']> | undefined {
    return this.#daemon?.state();
  }

  knockNow = (): void => this.#daemon?.knockNow();

  start(): void {
    if (this.#daemon || this.ended) return;
    const { kernel } = this.#around;
    this.#starts += 1;
    const random = kernel.random(`${this.name} ${this.#starts}`);
    this.#daemon = startDaemon({
      api: this.line.api(),
      machine: { fp: this.fp, publicKey: this.publicKey, fqdn: this.fqdn, machineId: `machine-${this.name}`, facts: {}, tags: [] },
      driver: { start: (fqdn) => this.#drive(fqdn), stop: () => this.#drive(undefined) },
      kept: this.kept,
      keep: (kept) => {
        this.kept = kept;
      },
      isHeard: async ({ host }) => {
        await kernel.wait(5, `${this.name} watches ${host}`);
        return !this.line.isCut && this.#hosts.some((one) => one.fqdn === host && one.isOn && !one.line.isCut);
      },
      say: (line) => kernel.note(`${this.name}: ${line}`),
      ended: () => {
        this.ended = true;
        this.#daemon = undefined;
      },
      world: {
        now: () => plusMs(kernel.now, this.#clockOffMs),
        after: (waitMs, then) => kernel.after(waitMs, `${this.name} wakes`, then),
        random,
      },
    });
  }

  stop(): void {
    this.#daemon?.stop();
    this.#daemon = undefined;
  }

  /** The daemon's folder is lost, and what it drove with it; its key comes from the machine, so it is the same system. */
  loseDisk(): void {
    this.stop();
    this.kept = { phase: 'unheard' };
    this.#presence.delete(this.fp);
  }

  async #drive(fqdn: Fqdn | undefined): Promise<{ ok: true } | { ok: false; why: string }> {
    await this.#around.kernel.wait(500, `${this.name} is driven to ${fqdn ?? 'nowhere'}`);
    if (this.#around.faults.hits('restart', 0.2)) return { ok: false, why: 'the minion did not start' };
    if (fqdn) this.#presence.set(this.fp, fqdn);
    else this.#presence.delete(this.fp);
    return { ok: true };
  }
}
