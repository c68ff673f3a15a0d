import type { ApiClient, Fetching } from '../../lib/api/client.ts';
import type { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import type { World } from '../../lib/machine/reactor.ts';
import { type Agent, startAgent } from '../agent/agent.ts';
import { newLedger, readLedger } from '../agent/ledger.ts';
import type { Signs } from '../agent/signed-calls.ts';
import { newId, newNonce } from './machine.ts';
import { memoryFolder } from './memory-folder.ts';
import { PlayedServer } from './played-server.ts';
import { someFacts, someLoad } from './some-host.ts';

/** A machine that is a node: its disk stays, its agent comes and goes. */
export type Machine = {
  readonly fqdn: Fqdn;
  readonly folder: Folder;
  readonly present: Set<string>;
  /** The server that it plays, whose agent measures it. */
  readonly server?: PlayedServer | undefined;
  agent?: Agent | undefined;
  /** The API client of its agent. */
  api?: ApiClient;
  /** Whether the machine itself is off, so that nothing starts its agent; one that is gone stays off. */
  isOff: boolean;
  isGone: boolean;
  /** How often it was switched on or off: calls that an earlier boot has not sent yet are never sent. */
  switched: number;
  /** Whether something is being done to it. */
  busy: boolean;
};

/** All nodes, with the functions that act on them. */
export type Nodes = {
  readonly machines: readonly Machine[];
  /** Whether the machine with this name runs its agent, as a probe of its watch port finds. */
  isAlive(fqdn: string): boolean;
  /** The node ids of the machines that run their agent. */
  alive(): NodeId[];
  boot(machine: Machine): void;
  /** Turns the machine off; booting turns it on. */
  off(machine: Machine): void;
  /** Records which client system is on which node, as the node's software sees it. */
  enter(fp: string, fqdn: string): void;
  leave(fp: string): void;
};

/** Everything that all agents share. */
export type NodesMeans = {
  /** The release hook. */
  readonly knockNow: (fps: readonly string[]) => void;
  /** How their calls reach Muster. */
  readonly apiOf: (signs: Signs) => ApiClient;
  readonly world: World;
  /** Once it is aborted no agent that has ended is started again. */
  readonly over: AbortSignal;
  readonly zone?: ZoneName;
  /** How many client systems the server of each registers a second; absent: any number, and nobody measures it. */
  readonly bears?: number | undefined;
};

/** Machines of these names, none of them running yet. */
export function someNodes(names: readonly Fqdn[], means: NodesMeans): Nodes {
  const machines = names.map(
    (fqdn): Machine => ({
      fqdn,
      folder: memoryFolder(fqdn),
      present: new Set(),
      server: means.bears === undefined ? undefined : aServer(means.bears, means.world),
      isOff: false,
      isGone: false,
      switched: 0,
      busy: false,
    }),
  );
  const named = new Map<string, Machine>(machines.map((machine) => [machine.fqdn, machine]));
  const places = new Map<string, Machine>();
  const leave = (fp: string): void => {
    places.get(fp)?.present.delete(fp);
    places.delete(fp);
  };
  return {
    machines,
    isAlive: (fqdn) => named.get(fqdn)?.agent !== undefined,
    alive: () => machines.flatMap(({ agent }) => agent?.state().node ?? []),
    boot: (machine) => boot(machine, means),
    off: (machine) => {
      machine.isOff = true;
      machine.switched += 1;
      machine.agent?.stop();
      machine.agent = undefined;
    },
    enter: (fp, fqdn) => {
      leave(fp);
      const machine = named.get(fqdn);
      if (!machine) return;
      machine.present.add(fp);
      machine.server?.accept(fp);
      places.set(fp, machine);
    },
    leave,
  };
}

/** First jobs take from six to twelve seconds, once a client system is registered. */
const jobMs = { least: 6_000, more: 6_000 } as const;

const aServer = (bears: number, { now, random }: World): PlayedServer =>
  new PlayedServer({ now, perS: () => bears, jobMs: () => jobMs.least + jobMs.more * random() });

/** How soon a service manager restarts an agent that has ended by itself. */
const restartAfterMs = 500;

/**
 * The calls of one boot: a machine that is off sends nothing, and a call that still waits for its turn ends with the
 * boot.
 */
function whileOn(machine: Machine, fetching: Fetching): Fetching {
  const { switched } = machine;
  return async (...call) => {
    if (machine.switched !== switched) throw new Error(`${machine.fqdn} was switched off`);
    return fetching(...call);
  };
}

/** Starts the agent under a new boot, with what the machine's disk holds. */
function boot(machine: Machine, means: NodesMeans): void {
  const { fqdn, folder, present, server } = machine;
  const { world, over, zone } = means;
  if (machine.isGone) return;
  machine.agent?.stop();
  machine.isOff = false;
  machine.switched += 1;
  const ledger = readLedger(folder) ?? newLedger(fqdn);
  machine.agent = startAgent({
    connect: (signs) => {
      machine.api = means.apiOf((fetching) => whileOn(machine, signs(fetching)));
      return machine.api;
    },
    self: { fqdn, kind: 'salt', boot: { id: newId(), kernel: 'kernel-1' }, ...(zone !== undefined && { zone }) },
    folder,
    ledger,
    token: () => undefined,
    facts: () => ({ ...someFacts(fqdn), fqdn }),
    load: (systems) => ({ ...someLoad, systems }),
    seen: () => present,
    bearing: server?.measured,
    releaseHook: async (fps) => {
      means.knockNow(fps);
      return { ok: true };
    },
    say: () => undefined,
    ended: () => {
      machine.agent = undefined;
      // A service manager starts it again, unless the machine itself is off.
      world.after(restartAfterMs, () => machine.isOff || machine.agent || over.aborted || boot(machine, means));
    },
    newId,
    newNonce,
    world,
  });
}
