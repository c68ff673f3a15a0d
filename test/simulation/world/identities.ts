import type { SystemView } from '../../../lib/clients/admin-routes.ts';
import { contract } from '../../../lib/contract.ts';
import { Fingerprint } from '../../../lib/core/ids.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Person } from './people.ts';
import type { SimulatedSystem } from './system.ts';

/** How long a machine and its copy pause between two knocks, in ms, at the most. */
const pauseMaxMs = 30_000;

/** A machine and its copy knock one after the other, in any order, for as long as both run. */
export function takeTurns({ config, kernel }: Around, system: SimulatedSystem, copy: SimulatedSystem): void {
  if (!config.boots) return;
  const random = kernel.random(`turns of ${copy.name}`);
  const next = (): void => {
    kernel.after(random() * pauseMaxMs, `${system.name} or ${copy.name} knocks`, () => {
      if (!system.copies.has(copy)) return;
      (random() < 0.5 ? system : copy).knockAlone();
      next();
    });
  };
  next();
}

/** Settles each client system that is held for two machines. */
export async function settleCopied(person: Person, cluster: Cluster): Promise<void> {
  const copied = (await listed(person, cluster)).filter((view) => view.copied).map(({ fp }) => Fingerprint.parse(fp));
  if (copied.length > 0) await person.ask(contract.settleSystems, { body: { systems: copied } });
}

async function listed(person: Person, cluster: Cluster): Promise<readonly SystemView[]> {
  const items: SystemView[] = [];
  for (const query of [{ status: 'new' as const }, ...cluster.zones.names.map((zone) => ({ zone }))])
    items.push(...((await person.ask(contract.listSystems, { query: { ...query, limit: 200 } }))?.items ?? []));
  return items;
}

/** Somebody who settles client systems, and puts keys that wait in the place of those whose names they have. */
export function seeToIdentities(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const { boots, namesakes } = around.config;
  if (!boots && !namesakes) return;
  const person = new Person('registrar', around, cluster, isOver);
  const replace = async (): Promise<unknown> => {
    const waiting = (await listed(person, cluster)).filter(({ status, sameName }) => status === 'new' && sameName?.held);
    const heir = oneOf(person.random, waiting);
    const old = oneOf(person.random, heir?.sameName?.keys ?? []);
    // Now and then the wrong way round.
    const [fp, by] = person.random() < 0.8 ? [old?.fp, heir?.fp] : [heir?.fp, old?.fp];
    return fp && by && person.ask(contract.replaceSystem, { params: { fp }, body: { by } });
  };
  person.work([
    ...(boots ? [() => settleCopied(person, cluster)] : []),
    ...(namesakes ? [replace, async () => undefined, async () => undefined] : []),
  ]);
}
