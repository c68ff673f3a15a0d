import { contract } from '../../../lib/contract.ts';
import { Fingerprint, type Fqdn } from '../../../lib/core/ids.ts';
import type { Config } from '../config.ts';
import type { Person } from './people.ts';

/**
 * What the n-th machine says as its machine id: its own; where machines are cloned, every third says that of the one
 * before.
 */
export const machineIdOf = (n: number, { clones }: Config): string => `machine-${clones && n % 3 === 0 ? n - 1 : n}`;

/**
 * The name of the n-th machine: its own; where there are namesakes, every third has that of the one before, and tells
 * it in capitals.
 */
export const nameOf = (n: number, { namesakes }: Config): Fqdn =>
  (namesakes && n % 3 === 0 ? `WEB${n - 1}.simulated.test` : `web${n}.simulated.test`) as Fqdn;

/**
 * Somebody looks at each key that is held because another one said its machine id or its name first, or because two
 * machines run with it, and accepts it by its fingerprint.
 */
export async function acceptHeld(person: Person, zoneOf: (fp: string) => object): Promise<void> {
  const listed = await person.ask(contract.listSystems, { query: { status: 'new', limit: 200 } });
  for (const { fp, sameMachineId, sameName, copied } of listed?.items ?? [])
    if (sameMachineId?.held || sameName?.held || copied)
      await person.ask(contract.accept, {
        body: { systems: [Fingerprint.parse(fp)], duplicates: true, tags: ['simulated'], ...zoneOf(fp) },
      });
}
