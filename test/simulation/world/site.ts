import { basename } from 'node:path';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { readLedger } from '../../../programs/agent/ledger.ts';
import { SiteCoordinator } from '../../../programs/agent/station/coordinator.ts';
import { carryOut } from '../../../programs/agent/station/hands.ts';
import { StationKeeper } from '../../../programs/agent/station/keeper.ts';
import type { Ping } from '../../../programs/agent/station/rounds.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { Kernel } from '../kernel.ts';
import type { SimulatedHost } from './host.ts';
import { bmcPassword, Power } from './power.ts';
import type { CarriesOut } from './services.ts';

/** What an agent does as a station of its zone, and with what it carries orders out. */
export type SiteOfHost = { readonly station: StationKeeper; readonly coordinator: SiteCoordinator; readonly carryOut: CarriesOut };

/** Every BMC has one password, which each station knows by any name. */
const secrets = { of: () => ({ ok: true, value: bmcPassword }) as const };
/** What power-cycles a host, as each station is told. */
const program = ['power', '{host}', '{bmc}', '{user}', '{passwordFile}'];

/** The site's own network: which hosts reach one another there, whether or not they reach Muster. */
export class Site {
  readonly #kernel: Kernel;
  readonly #power: Power;
  #hosts: readonly SimulatedHost[] = [];
  /** On which side of a split each host is; all are on one while there is none. */
  #sides = new Map<SimulatedHost, number>();

  constructor(around: Around, cluster: Cluster) {
    this.#kernel = around.kernel;
    this.#power = new Power(around, cluster, () => this.#hosts);
  }

  /** Connects these, which are all that there are. */
  connect(hosts: readonly SimulatedHost[]): void {
    this.#hosts = hosts;
  }

  /** From now on hosts reach only those on their own side. */
  split(sideOf: (host: SimulatedHost) => number): void {
    this.#sides = new Map(this.#hosts.map((host) => [host, sideOf(host)]));
  }

  /** All hosts are on one side again. */
  join(): void {
    this.#sides.clear();
  }

  /** Machines have fallen silent, and nothing switches them on. */
  silence(): void {
    this.#power.silence();
  }

  /** Whether the agent of a host answers, which it does once the host is a node, and a host gets there. */
  reaches(from: SimulatedHost, to: SimulatedHost): boolean {
    const answers = to.isOn && to.hungSince === undefined && readLedger(to.disk)?.node !== undefined;
    return answers && !from.line.isCut && !to.line.isCut && this.#sides.get(from) === this.#sides.get(to);
  }

  /** How an agent on a host asks whether another answers; `asked` hears who was asked, and whether it did. */
  pingFrom(host: SimulatedHost, asked: (address: string, isHeard: boolean) => void = () => undefined): Ping {
    return async (address) => {
      const to = this.#hosts.find(({ fqdn }) => address.startsWith(`${fqdn}:`));
      const isHeard = to !== undefined && this.reaches(host, to);
      asked(address, isHeard);
      return isHeard;
    };
  }

  /** What an agent on a host is a station with, on whatever folder it runs. */
  of(host: SimulatedHost, folder: Folder, world: World): SiteOfHost {
    const coordinator = new SiteCoordinator({ folder, clocks: () => [this.#kernel.now, world.now()] });
    const hands = (data: string | undefined) => ({
      folder,
      coordinator,
      secrets,
      program,
      runs: (words: readonly string[], ms: number) =>
        this.#power.run(host, { words, data, password: folder.read(basename(words[4]!)) }, ms),
    });
    return {
      station: new StationKeeper({ folder, ping: this.pingFrom(host), world }),
      coordinator,
      carryOut: (data, limitMs) => carryOut(data, limitMs, hands(data)),
    };
  }
}
