import { randomUUID } from 'node:crypto';
import { contract } from '../../lib/contract.ts';
import type { Fqdn } from '../../lib/core/ids.ts';
import { writeLeaving } from '../../programs/agent/ledger.ts';
import type { Machine } from '../../programs/loadtest/nodes.ts';
import { answered, type Drive, pause } from './drivers.ts';

/** What so many nodes are called. */
export const namesOfNodes = (count: number): Fqdn[] => Array.from({ length: count }, (_, n) => `node${n}.chaos.test` as Fqdn);

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
