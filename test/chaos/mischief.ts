import { unreachable } from '../../lib/core/time.ts';
import type { Machine, Nodes } from '../../programs/loadtest/nodes.ts';
import { type Drive, pause } from './drivers.ts';
import { sayLeaving, shows } from './nodes.ts';

/**
 * What may happen to a node: its agent starts anew, it is upgraded, it leaves for good and comes back as new, it falls
 * silent.
 */
const kinds = ['reboot', 'reboot', 'hold', 'hold', 'drain', 'silence'] as const;

/**
 * One node in so many is drained in a play, however long it lasts: drains move clients by a budget, and a slow machine
 * would not come to rest in time.
 */
const drainsPer = 10;

/** How long the driver waits for what it asked of a node, before it goes on with that node. */
const patienceMs = 8_000;

/**
 * How long a machine that boots is off at the least: what the boot before has on the wire is heard by then, as of real
 * machines.
 */
const offMs = 2_000;

/** Whom it may befall, about how often, and for how long a silent node is; `enough` ends it. */
export type Mischief = {
  readonly nodes: Nodes;
  readonly everyMs: number;
  readonly silentMs: number;
  readonly drive: Drive;
  readonly enough: AbortSignal;
};

/**
 * Does something to a random node so often; resolves when all of it is over and every node that it befell runs again.
 */
export async function mischief(how: Mischief): Promise<void> {
  const { nodes, everyMs, drive, enough } = how;
  const under = new Set<Promise<void>>();
  let drains = 0;
  const nextKind = (): (typeof kinds)[number] => {
    const kind = kinds[Math.floor(drive.world.random() * kinds.length)]!;
    if (kind !== 'drain') return kind;
    drains += 1;
    return drains <= Math.max(1, nodes.machines.length / drainsPer) ? kind : 'reboot';
  };
  while (!enough.aborted && (await pause(everyMs * (0.5 + drive.world.random()), drive))) {
    const machine = nodes.machines[Math.floor(drive.world.random() * nodes.machines.length)]!;
    if (machine.busy || !machine.agent) continue;
    machine.busy = true;
    const one = befalls(machine, nextKind(), how).finally(() => {
      machine.busy = false;
      under.delete(one);
    });
    under.add(one);
  }
  await Promise.all(under);
}

async function befalls(machine: Machine, kind: (typeof kinds)[number], { nodes, silentMs, drive, enough }: Mischief): Promise<void> {
  switch (kind) {
    case 'reboot':
      break;
    case 'hold':
      // The effect is awaited, so that a report that is gone cannot be excused by the boot that follows. One without an
      // answer may have been taken all the same.
      if (await sayLeaving(machine, 'hold')) await shows(machine, 'leaving', drive, patienceMs);
      break;
    case 'drain':
      // Its agent ends once its clients are gone, and comes back as new.
      await sayLeaving(machine, 'drain');
      return;
    case 'silence':
      nodes.off(machine);
      await pause(silentMs, { over: AbortSignal.any([drive.over, enough]) });
      break;
    default:
      return unreachable(kind);
  }
  nodes.off(machine);
  await pause(offMs, drive);
  if (!drive.over.aborted) nodes.boot(machine);
}
