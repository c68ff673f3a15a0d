import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { newKeyPair } from '../../lib/identity/key-pair.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { readLedger } from '../../programs/agent/ledger.ts';
import type { Phase } from '../../programs/client/state.ts';
import { world } from '../../programs/loadtest/machine.ts';
import { type Machine, someNodes } from '../../programs/loadtest/nodes.ts';
import { signedSystem, someSystems } from '../../programs/loadtest/systems.ts';
import { given } from './facts.ts';

/** The machines of one recovery test, in this process: real agents and real daemons. */
export type Cast = {
  readonly machines: readonly Machine[];
  /** The one that is not a node until it takes another's place. */
  readonly spare: Machine;
  readonly fps: readonly string[];
  startSystems(): void;
  idOf(machine: Machine): NodeId | undefined;
  boot(machine: Machine): void;
  /** The machine is off, and its disk is lost: nobody will start it again. */
  destroy(machine: Machine): void;
  /** The phase of each daemon, by fingerprint. */
  phase(fp: string): Phase;
  stop(): void;
};

/**
 * A daemon's waits are this much shorter than Muster tells it: one that may ask again in a minute does so in four
 * seconds.
 */
const hurry = 15;
const hurried: World = { ...world, after: (waitMs, then) => world.after(waitMs / hurry, then) };

type Asked = { readonly endpoint: string; readonly zone: ZoneName; readonly nodes: number; readonly clients: number };

/** Lets the machines in and starts the nodes; the spare is off, and the client systems are yet to be started. */
export async function castOf(admin: ApiClient, { endpoint, zone, nodes: count, clients }: Asked): Promise<Cast> {
  const names = [...Array.from({ length: count }, (_, n) => `node${n + 1}.recovery.test`), 'spare.recovery.test'] as Fqdn[];
  await given('no admission rule', admin(contract.addAdmissionRule, { body: { name: 'recovery-test', nodes: '*.recovery.test', zone } }));
  const token = { zone, tags: [], groups: [], uses: clients };
  const { secret } = await given('no onboarding token', admin(contract.createOnboardingToken, { body: token }));
  const over = new AbortController();
  const phases = new Map<string, Phase>();
  const nodes = someNodes(names, {
    world,
    over: over.signal,
    zone,
    knockNow: (fps) => systems.knockNow(fps),
    apiOf: (signs) => apiClient(endpoint, { fetching: signs(fetch) }),
  });
  const systems = someSystems({
    apiOf: (pair) => signedSystem(endpoint, pair, { world }),
    presence: nodes,
    isHeard: async ({ host }) => nodes.isAlive(host),
    recorded: (fp, { phase }) => void phases.set(fp, phase),
    world: hurried,
  });
  for (const machine of nodes.machines.slice(0, count)) nodes.boot(machine);
  const startOne = (n: number) =>
    systems.start(newKeyPair(), { fqdn: `web${n}.recovery.test`, machineId: `machine-${n}`, tags: [], onboardingToken: secret });
  return {
    machines: nodes.machines.slice(0, count),
    spare: nodes.machines[count]!,
    fps: systems.fps,
    boot: nodes.boot,
    startSystems: () => {
      for (let n = 1; n <= clients; n++) startOne(n);
    },
    idOf: ({ folder }) => readLedger(folder)?.node,
    destroy: (machine) => {
      nodes.off(machine);
      machine.isGone = true;
    },
    phase: (fp) => phases.get(fp) ?? 'unheard',
    stop: () => {
      over.abort();
      systems.stop();
      for (const machine of nodes.machines) nodes.off(machine);
    },
  };
}
