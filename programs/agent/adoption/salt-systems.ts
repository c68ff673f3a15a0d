import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochMs } from '../../../lib/core/time.ts';
import { minionFingerprintOf, minionTextFingerprintsOf } from '../../../lib/identity/fingerprint.ts';
import type { Offered } from '../../../lib/uyuni/node-routes.ts';
import { KeyFolders } from '../salt/keys.ts';
import type { AdoptableSystems } from './adopter.ts';

/** A system as the database of a Uyuni server has it. */
export type Registered = { readonly number: number; readonly name: string; readonly machineId: string };
/** The systems of a Uyuni server by their minion ids. Throws CannotOffer. */
export type ReadsRegistered = () => Promise<ReadonlyMap<string, Registered>>;

/**
 * The systems with an accepted key at the Salt master whose files are below a root, `/` on a master. What a Uyuni
 * server on it knows of them is read anew with their list; without one, a system is called by its minion id.
 */
export function saltSystems(root: string, now: () => EpochMs, readRegistered?: ReadsRegistered): AdoptableSystems {
  const folders = new KeyFolders(root);
  let registered: ReadonlyMap<string, Registered> = new Map();
  return {
    ids: async () => {
      registered = (await readRegistered?.()) ?? new Map();
      const { accepted } = await folders.read(now());
      // As JavaScript compares texts, which is how Muster does.
      return accepted.map(({ id }) => id).sort();
    },
    systems: async (ids) => {
      const read = await Promise.all(ids.map((id) => keyOf(join(root, 'etc/salt/pki/master/minions', id))));
      return ids.flatMap((id, n) => {
        const pem = read[n];
        return pem === undefined ? [] : [offered(id, pem, registered.get(id))];
      });
    },
  };
}

function offered(minion: string, pem: string, known: Registered | undefined): Offered {
  const { number, name = minion, machineId = '' } = known ?? {};
  const [fp, ofText] = [minionFingerprintOf(pem), [...minionTextFingerprintsOf(pem)]];
  return { minion, fp, ofText, name: name.slice(0, 253), machineId: machineId.slice(0, 64), ...(number !== undefined && { number }) };
}

/** The text of a key; undefined if it was removed meanwhile. */
async function keyOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
