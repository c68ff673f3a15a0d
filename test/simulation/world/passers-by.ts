import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { clientHeaders } from '../../../lib/clients/routes.ts';
import { contract } from '../../../lib/contract.ts';
import { Fingerprint, showFingerprint } from '../../../lib/core/ids.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf, type Random } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Line } from './network.ts';
import type { SimulatedSystem } from './system.ts';

/** How often somebody passes by, in ms, on the mean. */
const everyMs = 8_000;

type Machines = { readonly systems: readonly SimulatedSystem[]; readonly hosts: readonly SimulatedHost[] };

/**
 * Whoever asks without being a daemon or an agent: a script with curl, by either fingerprint, and the software on a
 * node where a key is pending.
 */
export function passBy(around: Around, cluster: Cluster, { systems, hosts, isOver }: Machines & { readonly isOver: () => boolean }): void {
  const { kernel } = around;
  const random = kernel.random('passers-by');
  const api = new Line('curl', around, cluster).api();
  const next = (): void => {
    const awayMs = cluster.isAway ? cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + random() * 2 * everyMs, 'somebody passes by', () => {
      if (!isOver()) void asks(api, random, { systems, hosts }).finally(next);
    });
  };
  next();
}

async function asks(api: ApiClient, random: Random, { systems, hosts }: Machines): Promise<void> {
  const system = oneOf(random, systems);
  const key = oneOf(random, [system?.fp, system?.minion?.fingerprint ?? system?.fp, 'f'.repeat(64)]) ?? 'e'.repeat(64);
  const fp = Fingerprint.parse(key);
  const others = systems.filter((one) => one !== system);
  const host = oneOf(random, hosts);
  const software = host?.software();
  const ask = oneOf<() => Promise<unknown> | undefined>(random, [
    () => api(contract.systemStatus, { query: { fp: showFingerprint(fp) } }),
    () => api(contract.orphan, { query: { fp } }),
    // Somebody tries what a token of another machine is good for.
    () => api(contract.systemStatus, { query: { fp }, headers: tokenOf(oneOf(random, others)) }),
    () => api(contract.orphan, { query: { fp }, headers: tokenOf(oneOf(random, others)) }),
    () => software?.api(contract.system, { params: { id: software.node, fp } }),
  ])!;
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
}

const tokenOf = (system: SimulatedSystem | undefined) => ({ [clientHeaders.token]: system?.kept.token ?? 'none' });
