import { contract } from '../../../lib/contract.ts';
import { Fingerprint } from '../../../lib/core/ids.ts';
import type { Config } from '../config.ts';
import type { Person } from './people.ts';

/**
 * What the n-th machine says as its machine id: its own; where machines are cloned, every third says that of the one
 * before.
 */
export const machineIdOf = (n: number, { clones }: Config): string => `machine-${clones && n % 3 === 0 ? n - 1 : n}`;

/**
 * Somebody looks at each key that is held because another one said its machine id first, and accepts it by its
 * fingerprint.
 */
export async function acceptHeld(person: Person, zoneOf: (fp: string) => object): Promise<void> {
  const listed = await person.ask(contract.listSystems, { query: { status: 'new', limit: 200 } });
  for (const { fp, sameMachineId } of listed?.items ?? [])
    if (sameMachineId?.held)
      await person.ask(contract.accept, {
        body: { systems: [Fingerprint.parse(fp)], duplicates: true, tags: ['simulated'], ...zoneOf(fp) },
      });
}
