import { fill, machineOf, nameOf } from '../../support/uyuni/fill.ts';
import { type PlayedServer, startServer } from '../../support/uyuni/played-server.ts';
import { aMinion, type Minion } from '../../support/uyuni/salt/minion.ts';
import { keepPassing, type Passing } from '../../support/uyuni/salt/passing.ts';

/** How often minions call, in ms. */
const everyMs = 500;

/** The part of a server's name by which its systems are named. */
const prefixOf = (fqdn: string): string => fqdn.split('.')[0]!;

/** The minions of the systems that a server begins with. */
export const minionsOf = (fqdn: string, systems: number): Minion[] =>
  Array.from({ length: systems }, (_, at) => aMinion(nameOf(prefixOf(fqdn), at + 1), { machine: machineOf(prefixOf(fqdn), at + 1) }));

/** The played servers of the demo by name, with the minions that call them. */
export class Servers {
  readonly #here = new Map<string, { readonly server: PlayedServer; readonly passing: Passing }>();
  #failure: string | undefined;

  /** The server of this name. Throws when there is none, or it has been destroyed. */
  of(fqdn: string): PlayedServer {
    const found = this.#here.get(fqdn);
    if (!found) throw new Error(`there is no server ${fqdn}`);
    return found.server;
  }

  names = (): string[] => [...this.#here.keys()];

  /** Starts a server with so many systems, whose minions call it. One without systems has the same content. */
  async start(fqdn: string, systems: number): Promise<PlayedServer> {
    const server = await startServer({ fqdn, systems });
    if (systems === 0) await fill(server.database, server.keys, { systems, prefix: prefixOf(fqdn) });
    const passing = keepPassing(server.onboarding, everyMs, ({ message }) => {
      this.#failure = `the minions of ${fqdn} cannot go on: ${message}`;
    });
    this.#here.set(fqdn, { server, passing });
    server.onboarding.connect(...minionsOf(fqdn, systems));
    return server;
  }

  /** The minion calls this server from now on, and no other. One that is gone hears it in vain. */
  move(minion: Minion, fqdn: string): void {
    for (const { server } of this.#here.values()) if (server.fqdn !== fqdn) server.onboarding.disconnect(minion.id);
    const to = this.#here.get(fqdn);
    if (to && !to.server.onboarding.has(minion.id)) to.server.onboarding.connect(minion);
  }

  /** The minion calls no server. */
  silence(minion: Minion): void {
    for (const { server } of this.#here.values()) server.onboarding.disconnect(minion.id);
  }

  /** The systems that a server has registered, with their minions' ids. */
  async registered(fqdn: string): Promise<string[]> {
    const rows = await this.of(fqdn).database.rows<{ id: string }>('SELECT minion_id AS id FROM suseminioninfo ORDER BY minion_id');
    return rows.map(({ id }) => id);
  }

  /** Loses a server with all that is on it. */
  async destroy(fqdn: string): Promise<void> {
    const lost = this.#here.get(fqdn);
    this.#here.delete(fqdn);
    await lost?.passing.stop();
    await lost?.server.stop();
  }

  stop = async (): Promise<void> => {
    await Promise.all(this.names().map((fqdn) => this.destroy(fqdn)));
  };

  /** What went wrong with a server that should go on; undefined when all is well. */
  failure = (): string | undefined => this.#failure;
}
