import { contract } from '../../../lib/contract.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Person } from './people.ts';

/**
 * How far apart two rotations are, in ms, at the least: nobody replaces keys more often than environments can hear of
 * it.
 */
const apartMs = 2 * minuteMs;

/** Somebody who switches open calls and unsigned clients off and on. */
export function turnSwitches(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const { faults } = around;
  const person = new Person('switcher', around, cluster, isOver);
  const isOn = (): boolean => person.random() < 0.5;
  const turn = async (does: () => Promise<unknown>): Promise<unknown> => (faults.hits('switched', 4) ? does() : undefined);
  person.work([
    () => turn(() => person.ask(contract.editSettings, { body: { openCalls: isOn() } })),
    () => turn(() => person.ask(contract.editZone, { params: { zone: defaultZone }, body: { unsignedClients: isOn() } })),
  ]);
}

/** Somebody who replaces the keys of membership tokens while they are in use, mostly by force. */
export function replaceKeys(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const { kernel, faults } = around;
  const master = new Person('keymaster', around, cluster, isOver);
  const replace = async (): Promise<void> => {
    const last = cluster.vault.madeAt.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (kernel.now - last < apartMs || !faults.hits('new-token-key', 4)) return;
    await master.ask(contract.rotateTokenKeys, { body: { force: master.random() < 0.8 } });
  };
  master.work([replace, replace, () => master.ask(contract.listTokenKeys)]);
}
