import { dayMs } from '../../../lib/core/time.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { diskFolder } from './disk.ts';
import type { SimulatedHost } from './host.ts';
import { takeTurns } from './identities.ts';
import type { SimulatedSystem } from './system.ts';

/** How often trouble looks whether it is its turn, in ms. */
const everyMs = 10_000;
/** How long a machine stays off, and how long a clone runs, in ms, at the most. */
const offMaxMs = 8 * 60_000;
const cloneMaxMs = 4 * 60_000;
/** How long a client system has no power: long enough for several digests without it. */
const poweredOffMaxMs = 20 * 60_000;
/** How soon a client system that its node does not see knocks: between two digests without it, at best. */
const unseenKnockMs = 3 * 60_000;
/** How long an agent stands still at the most, in ms. */
const hangMaxMs = 8 * 60_000;
/** How long it takes until every machine is on again after all were off. */
const startsWithinMs = 60_000;
/** How long the control plane sleeps. */
const asleepMs = 30 * 60_000;

/** What befalls machines and the control plane as a whole, as opposed to single calls. */
export function makeTrouble(
  around: Around,
  cluster: Cluster,
  { hosts, systems, isOver }: { hosts: readonly SimulatedHost[]; systems: readonly SimulatedSystem[]; isOver: () => boolean },
): void {
  const { kernel, faults } = around;
  const random = kernel.random('trouble');
  const later = (maxMs: number, label: string, then: () => void): void =>
    void kernel.after(random() ** 2 * maxMs, label, () => !isOver() && !cluster.isAway && then());
  const restartHost = (host: SimulatedHost): void => {
    host.stop(random() < 0.5);
    later(offMaxMs, `${host.name} is switched on`, () => host.start());
  };
  const befalls: readonly (() => void)[] = [
    () => faults.hits('restart') && restartHost(oneOf(random, hosts)!),
    () => {
      if (!faults.hits('restart')) return;
      const system = oneOf(random, systems)!;
      system.stop();
      later(offMaxMs, `${system.name} is switched on`, () => system.start());
    },
    () => {
      if (!faults.hits('lost-disk', 0.3)) return;
      const machine = oneOf(random, [...hosts, ...systems])!;
      machine.loseDisk();
      later(offMaxMs, `${machine.name} begins anew`, () => machine.start());
    },
    () => faults.hits('new-key') && oneOf(random, hosts)!.takeAnotherKey(),
    () => faults.hits('clone', 0.5) && clone(oneOf(random, hosts)!),
    () => faults.hits('clone', 0.5) && copy(oneOf(random, systems)!),
    () => {
      if (!faults.hits('asleep', 0.2) || !cluster.awake) return;
      kernel.note('the control plane falls asleep');
      cluster.sleep(asleepMs);
    },
    () => faults.hits('away', 0.1) && cluster.awake && goAway(),
    () => faults.hits('powered-off') && powerOff(oneOf(random, systems)!),
    () => faults.hits('powered-off') && unsee(oneOf(random, systems)!),
    () => {
      if (faults.hits('powered-off', 0.2)) for (const system of systems) if (random() < 0.7) powerOff(system);
    },
    () => faults.hits('hang', 0.5) && hang(oneOf(random, hosts)!),
  ];
  const goAway = (): void => {
    const weeksMs = Math.round(dayMs * (5 + 35 * random()));
    kernel.note('everything is switched off for weeks');
    for (const machine of [...hosts, ...systems]) machine.stop();
    for (const host of hosts) for (const twin of host.twins) host.endTwin(twin);
    for (const system of systems) for (const copy of system.copies) system.endCopy(copy);
    cluster.sleep(weeksMs);
    cluster.isAway = true;
    kernel.skippedMs += weeksMs;
    kernel.after(weeksMs, 'everything is switched on', () => {
      cluster.isAway = false;
      void cluster.store.expire(kernel.now);
      for (const machine of [...hosts, ...systems]) later(startsWithinMs, `${machine.name} is switched on`, () => machine.start());
    });
  };
  const powerOff = (system: SimulatedSystem): void => {
    system.powerOff();
    later(poweredOffMaxMs, `${system.name} is switched on`, () => system.start());
  };
  /** Its node does not see it, and its daemon goes on: it may knock all the same. */
  const unsee = (system: SimulatedSystem): void => {
    system.showOnNode(false);
    if (random() < 0.5) later(unseenKnockMs, `${system.name} knocks`, () => system.knockNow());
    later(poweredOffMaxMs, `${system.name} is seen again`, () => system.showOnNode(true));
  };
  const hang = (host: SimulatedHost): void => {
    host.hang(random() < 0.5);
    later(hangMaxMs, `${host.name} goes on`, () => host.goOn());
  };
  const clone = (host: SimulatedHost): void => {
    // Without a key there is nothing of a node to copy: it would be another machine that takes the name.
    if (host.isTakingKey || host.disk.read('ledger.json') === undefined) return;
    host.wasCloned = true;
    // A copied image boots under an id of its own; a machine that was resumed twice has even that in common.
    const sameBoot = random() < 0.3 ? host.state && JSON.parse(host.disk.read('ledger.json') ?? '{}').boot?.id : undefined;
    const name = host.nameOfCopy();
    const disk = diskFolder(name, new Map(host.disk.files));
    const twin = host.run(disk, sameBoot ?? `${host.name}-clone-${kernel.steps}`, host.others(name));
    kernel.note(`a clone of ${host.name} runs`);
    kernel.after(random() * cloneMaxMs, `the clone of ${host.name} ends`, () => host.endTwin(twin));
    host.twins.add(twin);
  };
  const copy = (system: SimulatedSystem): void => {
    const twin = system.copy();
    kernel.note(`${twin.name} runs`);
    takeTurns(around, system, twin);
    kernel.after(random() * cloneMaxMs, `${twin.name} ends`, () => system.copies.has(twin) && system.endCopy(twin));
  };
  const look = (): void => {
    if (isOver()) return;
    for (const befall of befalls) befall();
    kernel.after(everyMs + (cluster.isAway ? cluster.asleepUntil - kernel.now : 0), 'trouble looks', look);
  };
  kernel.after(everyMs, 'trouble looks', look);
}
