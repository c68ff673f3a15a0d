import { SiteCoordinator } from '../../../agent/station/coordinator.ts';
import { StationKeeper } from '../../../agent/station/keeper.ts';
import type { Ping } from '../../../agent/station/rounds.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { Kernel } from '../kernel.ts';
import type { SimulatedHost } from './host.ts';

/** What an agent does as a station of its zone. */
export type SiteOfHost = { readonly station: StationKeeper; readonly coordinator: SiteCoordinator };

/** The site's own network: which hosts reach one another there, whether or not they reach Muster. */
export class Site {
  readonly #kernel: Kernel;
  #hosts: readonly SimulatedHost[] = [];
  /** On which side of a split each host is; all are on one while there is none. */
  #sides = new Map<SimulatedHost, number>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
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

  /** Whether something listens on a host, and a host gets there. */
  reaches(from: SimulatedHost, to: SimulatedHost): boolean {
    return to.isOn && !from.line.isCut && !to.line.isCut && this.#sides.get(from) === this.#sides.get(to);
  }

  /** How an agent on a host asks whether another takes a connection; `asked` hears who was asked, and whether it did. */
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
    return {
      station: new StationKeeper({ folder, ping: this.pingFrom(host), world }),
      coordinator: new SiteCoordinator({ folder, clocks: () => [this.#kernel.now, world.now()] }),
    };
  }
}
