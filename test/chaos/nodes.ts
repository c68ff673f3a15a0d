import { randomUUID } from 'node:crypto';
import { type Agent, startAgent } from '../../agent/agent.ts';
import { newLedger, readLedger, writeLeaving } from '../../agent/ledger.ts';
import type { Signs } from '../../agent/signed-calls.ts';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/api/contract.ts';
import type { Fqdn, NodeId } from '../../lib/ids.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { someFacts, someLoad } from '../support/actors.ts';
import { answered, type Drive, memoryFolder, pause } from './drivers.ts';

/** A machine that is a node: its disk stays, its agent comes and goes. */
export type Machine = {
  readonly fqdn: Fqdn;
  readonly folder: Folder;
  readonly present: Set<string>;
  agent?: Agent | undefined;
  /** What its agent calls Muster by. */
  api?: ApiClient;
  /** The machine itself is off, and nobody starts its agent; one that is gone stays off. */
  isOff: boolean;
  isGone: boolean;
  /** Something is done to it already. */
  busy: boolean;
};

/** All nodes, with what may happen to them. */
export type Nodes = {
  readonly machines: readonly Machine[];
  /** Whether the machine with this name runs its agent, as a look at its watch port tells. */
  isAlive(fqdn: string): boolean;
  /** The node ids of the machines that run their agent. */
  alive(): NodeId[];
  boot(machine: Machine): void;
  /** Turns the machine off; booting turns it on. */
  off(machine: Machine): void;
  /** Who is on which node, as the node's software sees it. */
  enter(fp: string, fqdn: string): void;
  leave(fp: string): void;
};

/** What all agents have in common: their release hook, and how their calls reach Muster. */
type Means = { readonly knockNow: (fps: readonly string[]) => void; readonly apiOf: (signs: Signs) => ApiClient };

/** So many machines, none of them running yet. */
export function someNodes(count: number, drive: Drive, means: Means): Nodes {
  const machines = Array.from({ length: count }, (_, n): Machine => {
    const fqdn = `node${n}.chaos.test` as Fqdn;
    return { fqdn, folder: memoryFolder(fqdn), present: new Set(), isOff: false, isGone: false, busy: false };
  });
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
    boot: (machine) => boot(machine, drive, means),
    off: (machine) => {
      machine.isOff = true;
      machine.agent?.stop();
      machine.agent = undefined;
    },
    enter: (fp, fqdn) => {
      leave(fp);
      const machine = named.get(fqdn);
      if (!machine) return;
      machine.present.add(fp);
      places.set(fp, machine);
    },
    leave,
  };
}

/** How soon a service manager starts an agent again that has ended by itself. */
const restartAfterMs = 500;

/** Starts the agent under a new boot, with what the machine's disk holds. */
function boot(machine: Machine, drive: Drive, means: Means): void {
  const { fqdn, folder, present } = machine;
  if (machine.isGone) return;
  machine.agent?.stop();
  machine.isOff = false;
  const ledger = readLedger(folder) ?? newLedger(fqdn);
  machine.agent = startAgent({
    connect: (signs) => {
      machine.api = means.apiOf(signs);
      return machine.api;
    },
    self: { fqdn, kind: 'salt', boot: { id: randomUUID(), kernel: 'kernel-1' } },
    folder,
    ledger,
    token: () => undefined,
    facts: () => ({ ...someFacts(fqdn), fqdn }),
    load: (systems) => ({ ...someLoad, systems }),
    seen: () => present,
    releaseHook: async (fps) => {
      means.knockNow(fps);
      return { ok: true };
    },
    say: () => undefined,
    ended: () => {
      machine.agent = undefined;
      // A service manager starts it again, unless the machine itself is off.
      setTimeout(() => machine.isOff || machine.agent || drive.over.aborted || boot(machine, drive, means), restartAfterMs);
    },
    newId: randomUUID,
    newNonce: randomUUID,
    world: drive.world,
  });
}

/** Says that the node leaves; whether Muster has taken it. */
export async function sayLeaving(machine: Machine, mode: 'drain' | 'hold'): Promise<boolean> {
  const state = machine.agent?.state();
  if (!machine.api || state?.phase !== 'member' || state.node === undefined) return false;
  const { node, incarnation, generation } = state;
  const body = { id: randomUUID(), incarnation, mode };
  const answer = await answered(machine.api(contract.leaving, { params: { id: node }, body }));
  if (!answer?.ok) return false;
  writeLeaving(machine.folder, { incarnation, generation, mode });
  return true;
}

/** Waits until Muster shows the node as it should be; false when the play ended or `withinMs` passed before. */
export async function shows(machine: Machine, status: string, drive: Drive, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    const seen = await answered(drive.api(contract.getNode, { params: { id: machine.fqdn } }));
    if (seen?.ok && seen.body.status === status) return true;
    if (!(await pause(250, drive))) return false;
  }
  return false;
}
