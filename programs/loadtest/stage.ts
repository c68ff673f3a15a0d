import { type ApiClient, apiClient, type Fetching } from '../../lib/api/client.ts';
import { directly } from '../../lib/api/direct.ts';
import type { Route } from '../../lib/api/route.ts';
import { clientRoutes } from '../../lib/clients/routes.ts';
import { Fqdn, type NodeId, type ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import { newKeyPair } from '../../lib/identity/key-pair.ts';
import { mayBeNamed } from '../../lib/machine/endpoint.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import { readLedger } from '../agent/ledger.ts';
import type { Phase } from '../client/state.ts';
import { atMost } from './at-most.ts';
import { elapsedMs, signalAfter, world } from './machine.ts';
import { Meter } from './meter.ts';
import { type Machine, type Nodes, someNodes } from './nodes.ts';
import { overSockets } from './sockets.ts';
import { signedSystem, someSystems } from './systems.ts';

/** All participants of one run, in this process. */
export type Stage = {
  readonly meter: Meter;
  bootNodes(): void;
  /** Starts so many more client systems. */
  startSystems(count: number): void;
  /** Silences so many nodes that are on, each time others as long as there are some; gives them. */
  silence(count: number): readonly Machine[];
  wake(machines: readonly Machine[]): void;
  /** Client systems by phase, and nodes that are silent. */
  clients(): Record<string, number>;
  silent(): number;
  /** Calls that wait for their turn. */
  waiting(): number;
  /** The nodes and client systems that Muster may know. */
  members(): { readonly nodes: NodeId[]; readonly fps: readonly string[] };
  stop(): void;
};

type Setting = {
  readonly run: string;
  readonly endpoint: string;
  /** How calls are sent, if not over connections of its own. */
  readonly fetching?: Fetching | undefined;
  readonly zone: ZoneName;
  readonly nodes: number;
  readonly connections: number;
  readonly onboardingToken: string;
  /** How many client systems the server of each node registers a second, if it plays one. */
  readonly bears?: number | undefined;
};

/** The names of a run's nodes, as a pattern of an admission rule. */
export const namesOf = (run: string, nodes: number): string => `node[1-${Math.max(1, nodes)}].r${run}.loadtest.test`;

/** A call that hangs must not outlive the lease that it should renew. */
const timeoutMs = 10 * secondMs;

/** Makes all participants; none of them acts yet. */
export function stageOf({ run, endpoint, fetching: given, zone, nodes: count, connections, onboardingToken, bears }: Setting): Stage {
  const sockets = overSockets(connections);
  const fetching = given ?? sockets.fetching;
  const meter = new Meter(elapsedMs);
  // Each machine learns for itself where its calls may go, as its agent or daemon does.
  const fetchingOf = (route: Route) =>
    directly({
      route,
      mayCall: mayBeNamed(endpoint),
      now: world.now,
      after: signalAfter,
      say: () => meter.refused('no-answer-directly'),
      fetching: meter.fetching(fetching),
    });
  // Nodes have a share of their own: a heartbeat that waits behind a thousand knocks is a fault of the load generator.
  const ofNodes = atMost(Math.max(1, Math.floor(connections / 4)));
  const ofSystems = atMost(Math.max(1, connections - Math.floor(connections / 4)));
  const over = new AbortController();
  const phases = new Phases();
  const names = Array.from({ length: count }, (_, n) => Fqdn.parse(`node${n + 1}.r${run}.loadtest.test`));
  const nodes: Nodes = someNodes(names, {
    knockNow: (fps) => systems.knockNow(fps),
    apiOf: (signs) => ofNodes.of(meter.api(apiClient(endpoint, { timeoutMs, fetching: signs(fetchingOf(nodeRoutes.heartbeat)) }))),
    world,
    over: over.signal,
    zone,
    bears,
  });
  const systems = someSystems({
    apiOf: (pair): ApiClient =>
      ofSystems.of(meter.api(signedSystem(endpoint, pair, { world, fetching: fetchingOf(clientRoutes.systemStatus), timeoutMs }))),
    presence: nodes,
    isHeard: async ({ host }) => nodes.isAlive(host),
    recorded: (fp, { phase }) => phases.set(fp, phase),
    world,
  });
  const startOne = () => {
    const fqdn = `web${systems.fps.length + 1}.r${run}.loadtest.test`;
    phases.add();
    systems.start(newKeyPair(), { fqdn, machineId: `${run}-${systems.fps.length + 1}`, tags: [], onboardingToken });
  };
  return {
    meter,
    bootNodes: () => nodes.machines.forEach(nodes.boot),
    startSystems: (more) => {
      for (let n = 0; n < more; n++) startOne();
    },
    ...silencing(nodes),
    clients: () => phases.counts(),
    waiting: () => ofNodes.waiting() + ofSystems.waiting(),
    members: () => ({ nodes: nodes.machines.flatMap(({ folder }) => readLedger(folder)?.node ?? []), fps: systems.fps }),
    stop: () => {
      over.abort();
      systems.stop();
      for (const machine of nodes.machines) nodes.off(machine);
      sockets.close();
    },
  };
}

function silencing(nodes: Nodes): Pick<Stage, 'silence' | 'wake' | 'silent'> {
  const { machines } = nodes;
  let next = 0;
  return {
    silence: (count) => {
      const inTurn = [...machines.slice(next), ...machines.slice(0, next)].filter(({ isOff }) => !isOff).slice(0, count);
      next = machines.length === 0 ? 0 : (next + count) % machines.length;
      for (const machine of inTurn) nodes.off(machine);
      return inTurn;
    },
    wake: (some) => some.forEach(nodes.boot),
    silent: () => machines.filter(({ isOff }) => isOff).length,
  };
}

/**
 * How many client systems are in each phase, updated with every change: counting a hundred thousand each second would
 * take too long.
 */
class Phases {
  readonly #of = new Map<string, Phase>();
  readonly #counts: Record<Phase, number> = { unheard: 0, new: 0, orphan: 0, told: 0, onboarded: 0, deleted: 0 };

  /** Adds one that Muster has not answered yet. */
  add(): void {
    this.#counts.unheard += 1;
  }

  set(fp: string, phase: Phase): void {
    this.#counts[this.#of.get(fp) ?? 'unheard'] -= 1;
    this.#counts[phase] += 1;
    this.#of.set(fp, phase);
  }

  /** Empty phases are left out. */
  counts(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.#counts).filter(([, count]) => count > 0));
  }
}
