import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { clientHeaders } from '../../../lib/clients/routes.ts';
import { contract } from '../../../lib/contract.ts';
import { minionOf as provedBy } from '../../../tools/support/minion-keys.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Knocker } from './knocking.ts';
import { Line } from './network.ts';
import type { SimulatedSystem } from './system.ts';

/** How often a script begins, in ms, on the mean, and how often it asks at once. */
const everyMs = 1_000;
const asksAtOnce = 3;

/** The line of a script that runs on a machine with the keys of its daemon. */
export const lineOfScript = (system: string): string => `${system}-script`;
/** Whether that is one of such a script. */
export const isOfScript = (line: string): boolean => line.endsWith('-script');

/**
 * Scripts on machines that have a home: each knocks as the daemon does, and asks with the token that it is given, at
 * once and several times, so that environments answer which have not read the zone for a while; and first of all with
 * the token of the time before.
 */
export function askInHaste(
  around: Around,
  cluster: Cluster,
  { systems, isOver }: { readonly systems: readonly SimulatedSystem[]; readonly isOver: () => boolean },
): void {
  if (!around.config.hasty) return;
  const { kernel } = around;
  const random = kernel.random('scripts');
  const scripts = systems.map((system) => new Script(system, around, cluster));
  const next = (): void => {
    const awayMs = cluster.isAway ? cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + random() * 2 * everyMs, 'a script asks', () => {
      if (isOver()) return;
      void oneOf(random, scripts)?.run();
      next();
    });
  };
  next();
}

class Script {
  readonly #system: SimulatedSystem;
  readonly #knocker: Knocker;
  readonly #api: ApiClient;
  #token: string | undefined;

  constructor(system: SimulatedSystem, around: Around, cluster: Cluster) {
    const line = new Line(lineOfScript(system.name), around, cluster);
    this.#system = system;
    this.#knocker = new Knocker(around.kernel, line);
    this.#api = line.api();
  }

  async run(): Promise<void> {
    const { fp, fqdn, publicKey, machineId, minion, kept, isOn } = this.#system;
    if (!isOn || kept.token === undefined) return;
    if (this.#token !== undefined) await this.#ask(this.#token);
    const body = { publicKey, fqdn, machineId, ...(minion && { minion: provedBy(minion.id, minion, fp) }) };
    const token = await this.#knocker.knock({ body, by: this.#system.pair });
    this.#token = token ?? this.#token;
    if (token !== undefined) await Promise.all(Array.from({ length: asksAtOnce }, () => this.#ask(token)));
  }

  async #ask(token: string): Promise<void> {
    try {
      await this.#api(contract.systemStatus, { query: { fp: this.#system.fp }, headers: { [clientHeaders.token]: token } });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }
}
